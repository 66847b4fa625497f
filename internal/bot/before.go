package bot

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/reconcile"
	"github.com/tolboy/warden/internal/reuse"
)

// past is what a run takes over from the one that it continues.
type past struct {
	base      string
	candidate string
	branch    string
	title     string
	body      string
	writers   []string
	authors   []string // the profiles by which they wrote
	trees     []string // that the runs before left
	allowed   []ledger.Switch
	failover  *ledger.Failover
	parked    string // its whole work, where nothing speaks against it
	runs      []ledger.History
	chain     ledger.Chain
}

// before reads the run that is continued. A person's rejection starts a new
// count of calls; a retry or a switch goes on with the old one.
func (b *Bot) before(o reconcile.Observed, id string) (past, error) {
	p := past{}
	for _, r := range o.Runs {
		if r.Branch != "" {
			p.branch = r.Branch // one branch for the issue, whichever run made it
		}
		if r.Candidate != "" && slices.Contains(r.Done, "branch:"+r.ID) {
			p.candidate = r.Candidate
		}
	}
	if id == "" {
		p.candidate = ""
		if o.Pull != nil && !o.Pull.Open {
			p.branch = ""
		}
		return p, nil
	}
	h, err := ledger.Read(b.RunsDir, id)
	if err != nil {
		return p, fmt.Errorf("read the run that is continued: %w", err)
	}
	p.base = h.Run.BaseCommit
	p.allowed = ledger.Allowed(h)
	if line, ok := h.Sealed(); ok {
		var end ledger.Ending
		if err := line.Decode(&end); err != nil {
			return p, err
		}
		p.failover = end.Failover
		if end.Parked != nil && len(end.Parked.Left) == 0 && reuse.AboutTheWorld(end.Code) {
			p.parked = end.Parked.Commit
		}
	}
	if err := b.readIssue(id, &p); err != nil {
		return p, err
	}
	earlier, err := ledger.ReadPast(func(id string) (ledger.History, error) { return ledger.Read(b.RunsDir, id) }, id)
	if err != nil {
		return p, err
	}
	p.chain, p.runs = earlier.Chain, earlier.Counted()
	return p, b.chainWriters(id, &p)
}

// readIssue takes the text that the continued run was made from.
func (b *Bot) readIssue(id string, p *past) error {
	data, err := os.ReadFile(filepath.Join(b.RunsDir, id, issueFile))
	if err != nil {
		return fmt.Errorf("read the issue's text of %s: %w", id, err)
	}
	var text issueText
	if err := json.Unmarshal(data, &text); err != nil {
		return fmt.Errorf("read the issue's text of %s: %w", id, err)
	}
	p.title, p.body = text.Title, text.Body
	return nil
}

// chainWriters collects every vendor that wrote, or was interrupted while it
// wrote, in the run and in those that it continues. The candidate may hold lines
// of each of them.
func (b *Bot) chainWriters(id string, p *past) error {
	for range maxChain {
		h, err := ledger.Read(b.RunsDir, id)
		if err != nil {
			return fmt.Errorf("read who wrote in %s: %w", id, err)
		}
		p.trees, p.authors = append(p.trees, ledger.Trees(h)...), append(p.authors, ledger.Authors(h)...)
		for _, v := range ledger.Writers(h) {
			if !slices.Contains(p.writers, v) {
				p.writers = append(p.writers, v)
			}
		}
		if id = h.Run.Continues; id == "" {
			return nil
		}
	}
	return fmt.Errorf("read who wrote: more than %d runs continue each other", maxChain)
}

// maxChain bounds how many runs continue each other.
const maxChain = 1000
