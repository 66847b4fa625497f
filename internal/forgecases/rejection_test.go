package forgecases

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tolboy/warden/forge"
	"github.com/tolboy/warden/forge/forgetest"
	"github.com/tolboy/warden/internal/demo"
)

// outdate says of the comment with these words what the forge says once its lines
// have gone: null, and where they were.
func outdate(t *testing.T, words string) func(path string, body []byte) []byte {
	return func(path string, body []byte) []byte {
		if !strings.Contains(path, "/pulls/") || !strings.HasSuffix(path, "/comments") {
			return body
		}
		var notes []map[string]json.RawMessage
		if json.Unmarshal(body, &notes) != nil {
			return body
		}
		for _, n := range notes {
			if strings.Contains(string(n["body"]), words) {
				for _, key := range []string{"line", "start_line", "position"} {
					n[key] = json.RawMessage("null")
				}
			}
		}
		out, err := json.Marshal(notes)
		if err != nil {
			t.Error(err)
			return body
		}
		return out
	}
}

func TestRejection(t *testing.T) {
	t.Parallel()
	t.Run("peer-17 request changes without a mention", func(t *testing.T) {
		t.Parallel()
		const words = "Not yet:\r\n\r\n> two countries\n\nGreet in *both* languages; `a < b && c`.\r\n"
		notes := []forgetest.InlineComment{
			{Path: "greeting.txt", Line: 1, Body: "Add `Willkommen!` below.\r\n\tAnd a tab."},
			{Path: "greeting.txt", Line: 2, Body: "```\nHello & {{goal}} $(x)\n```"},
			{Path: "greeting.txt", StartLine: 2, Line: 3, Body: "These two are one."},
			{Path: "greeting.txt", Line: 2, Side: "LEFT", Body: "Why did this go?"},
			{Path: "greeting.txt", StartLine: 1, Line: 2, Body: "An outdated remark."},
			{Path: "greeting.txt", Body: "Another name for the file?"},
		}
		w := newWorld(t, setting{
			files:  map[string]string{"greeting.txt": "Goodbye.\nClosed.\n"},
			tamper: outdate(t, "An outdated remark."),
			writer: []demo.Turn{
				{Role: "implementer", When: []string{"two countries"}, Write: map[string]string{"greeting.txt": "Hello, visitor!\nWillkommen!\n"}, Answer: done("Both languages.", "greeting.txt")},
				{Role: "implementer", Write: map[string]string{"greeting.txt": "Hello, visitor!\nCome in.\nMind the step.\n"}, Answer: done("Three lines.", "greeting.txt")},
			}})
		first := w.candidate()
		w.review(mona, forge.ChangesRequested, words, notes...)
		w.review(wil, forge.ChangesRequested, "Nor I.", forgetest.InlineComment{Path: "greeting.txt", Line: 3, Body: "Which step?"})
		p := w.act(w.woken())
		w.want(p.words() == "reject" && len(p.Runs) == 2 && p.Runs[1].Reason == "ready_for_human", "not taken as a rejection: %s", p)
		w.want(p.Pull.Number == w.pull && p.Pull.Head != first.Pull.Head && p.Pull.Draft, "no second candidate on the same draft: %s", p)
		prompt := w.read(w.runs("issue-1-2--implementer-0", "prompts", "implementer.md"))
		const hunk, left = "@@ -1,2 +1,3 @@\n-Goodbye.\n-Closed.\n", "@@ -1,2 +1,3 @@\n-Goodbye.\n-Closed."
		place := func(where, hunk, who, bar, body string) string {
			if hunk != "" {
				where += ", where the diff reads\n\n```text\n" + hunk + "\n```"
			}
			return "\nOn `greeting.txt`, " + where + "\n\n" + who + " wrote:\n\n" + bar + "text\n" + body + "\n" + bar + "\n"
		}
		for _, text := range []string{
			"\n" + mona + " wrote:\n\n```text\n" + words + "```\n",
			place("line 1 (right side)", hunk+"+Hello, visitor!", mona, "```", notes[0].Body),
			place("line 2 (right side)", hunk+"+Hello, visitor!\n+Come in.", mona, "````", notes[1].Body),
			place("lines 2 to 3 (right side)", hunk+"+Hello, visitor!\n+Come in.\n+Mind the step.", mona, "```", notes[2].Body),
			place("line 2 (left side)", left, mona, "```", notes[3].Body),
			place("lines 1 to 2 (right side)", hunk+"+Hello, visitor!\n+Come in.", mona, "```", notes[4].Body),
			place("the file as a whole", "", mona, "```", notes[5].Body),
			"\n" + wil + " wrote:\n\n```text\nNor I.\n```\n",
			place("line 3 (right side)", hunk+"+Hello, visitor!\n+Come in.\n+Mind the step.", wil, "```", "Which step?"),
		} {
			w.want(strings.Count(prompt, text) == 1, "%q is %d times in the prompt:\n%s", text, strings.Count(prompt, text), prompt)
		}
		w.want(!strings.Contains(prompt, "line 0"), "a line that is none:\n%s", prompt)
		w.want(w.check(first.Pull.Head) == "failure", "the check of the refused candidate is %q", w.check(first.Pull.Head))
		w.settled()
		// Once: the third run does not hear it again.
		w.review(mona, forge.ChangesRequested, "And shorter.")
		p = w.act(w.woken())
		w.want(len(p.Runs) == 3 && p.words() == "reject reject", "second rejection: %s", p)
		third := w.read(w.runs("issue-1-3--implementer-0", "prompts", "implementer.md"))
		w.want(strings.Contains(third, "And shorter.") && !strings.Contains(third, notes[0].Body), "the old remarks came again:\n%s", third)
	})
}
