package bot

import (
	"context"
	"fmt"
	"strings"

	"github.com/tolboy/warden/internal/plain"
	"github.com/tolboy/warden/internal/publish"
)

// Summary tells in Markdown what reconciling came to: what was done, and where
// the newest run stands.
func (b *Bot) Summary(ctx context.Context, r Result) string {
	var s strings.Builder
	fmt.Fprintf(&s, "## Warden: issue %d\n\n", r.Issue)
	for _, t := range r.Told {
		fmt.Fprintf(&s, "- `%s` %s (`%s`)", t.Kind, t.RunID, t.Reason)
		if t.Text != "" {
			s.WriteString(" " + plain.Inline(plain.Line(t.Text, 200)))
		}
		s.WriteByte('\n')
	}
	if len(r.Observed.Runs) == 0 {
		return s.String()
	}
	view, err := b.latest(ctx, r.Observed)
	if err != nil {
		fmt.Fprintf(&s, "\nThe newest run cannot be shown: %s\n", plain.Inline(plain.Line(err.Error(), 300)))
		return s.String()
	}
	body, _ := publish.Comment(view)
	return s.String() + "\n" + body
}
