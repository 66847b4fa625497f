package publish

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/tolboy/warden/forge"
	"github.com/tolboy/warden/internal/plain"
)

// Answer is a short reply to a person. Reason is a code of internal/reconcile.
type Answer struct {
	Key    string // ours; kept in the comment, so that it is never said twice
	Reason string
	To     string // login, or ""
	Issue  int
	RunID  string
	URL    string // what it answers
	Detail string // untrusted: a commit, a word or a number
	Label  string // name of the label that starts a run; untrusted
	Rules  Rules
	State  View // for a status
}

var (
	keyForm   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9:_.-]{1,200}$`) })
	loginForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]{0,38}$`) })
	answerKey = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^<!-- warden:answer=([A-Za-z0-9:_.-]{1,200}) -->\r?$`)
	})
)

// AnsweredKeys returns the keys of the answers among the comments that are ours.
func AnsweredKeys(comments []forge.Comment, self forge.User) []string {
	var out []string
	for _, c := range comments {
		if !c.Author.Same(self) {
			continue
		}
		first, _, _ := strings.Cut(c.Body, "\n")
		if m := answerKey().FindStringSubmatch(first); m != nil {
			out = append(out, m[1])
		}
	}
	return out
}

const help = "You can say, as the first line of a comment, with nothing before it:\n\n" +
	"| Command | What it does |\n| --- | --- |\n" +
	"| `/warden accept <commit>` | accept the candidate, named by 7 or more digits |\n" +
	"| `/warden reject` and a text | refuse it; the text goes to the next run as you wrote it |\n" +
	"| `/warden retry`, `/warden switch`, `/warden abort` | answer a run that stopped |\n" +
	"| `/warden recheck` | have what you pushed to the branch judged; it becomes the candidate if it passes |\n" +
	"| `/warden stop` | stop the run in progress; its work is kept |\n" +
	"| `/warden status`, `/warden help` | show where things stand; show this |\n\n" +
	"A review with *Approve* or *Request changes* does the same as accept and reject."

// said has one text for each reason. %d is the detail, and %l a blank and the name of
// the label, both in code.
var said = map[string]string{
	"text_edited_after_label": "the text of this issue was edited after the label was put on, so nothing was started. Read it again, then take the label%l off and put it on: what stands then is the goal.",
	"edits_unknown":           "the forge did not say whether the text was edited after the label was put on, so nothing was started. Take the label%l off and put it on again.",
	"not_permitted":           "this needs %d permission on the repository, which you do not have now. Nothing was done.",
	"run_limit_reached":       "this issue has used up its %d runs. Nothing was started; open another issue for what is left.",
	"rejection_text_needed":   "a refusal needs a reason: the next run gets nothing else from you. Write `/warden reject` and a text, or submit the review again with one. Until then nothing is accepted.",
	"stale_approval":          "this approval is of %d, which is not the candidate that now heads the pull request. It does not count. Look at the candidate and approve that.",
	"gate_expired":            "this came after the time that the project sets for an answer had passed, so it permits nothing. Take the label%l off and put it on: a new run works on the present base. You can still refuse this one.",
	"stale_refusal":           "this review is of an older commit, %d, from before the present candidate. If it still holds, submit it again.",
	"outranked_by_refusal":    "somebody refused this candidate, and a refusal outranks an approval.",
	"self_accept_off":         "you labelled this issue or committed to the candidate, and this project wants somebody else to accept it.",
	"review_edited":           "this review was edited after it was submitted, so it does not count. Submit a fresh one.",
	"comment_edited":          "an edited comment, or one whose edits are unknown, decides nothing. Write it again as a new comment.",
	"wrong_candidate":         "this is not the candidate that waits; that is %d. Nothing was done.",
	"answer_before_question":  "this was said before there was something to answer, so it does not count. Look at the result and say it again.",
	"not_an_option":           "%d is no answer to what is open here. The pull request and the status comment list what is.",
	"nothing_waiting":         "nothing waits for an answer here, so %d did nothing.",
	"no_run_in_progress":      "no run is in progress.",
	"stop_noted":              "the run stops at its next boundary. Its work is kept.",
	"unknown_command":         "this is no command of mine. `/warden help` lists them.",
	"malformed_command":       "this is not how the command is written. `/warden help` shows each; `accept` must name 7 or more digits of the candidate.",
	"recheck_no_pull_request": "there is no open pull request of mine, of this repository, with a candidate, so there is nothing to judge again. The label%l starts a run.",
	"recheck_head_unchanged":  "the head of this pull request is the candidate, which was judged already. Push your commits first, then say it again.",
	"issue_closed":            "this issue is closed, so nothing is started.",
	"label_off":               "the label%l is not on this issue, so nothing is started.",
	"help_asked":              help,
	"status_asked":            "",
	"more_approvals_needed":   "noted. This candidate waits for more approvals, or for somebody's refusal to be settled.",
	"merged_without_accept":   "this was merged although no accept was recorded for %d. That is in the ledger.",
	"mark_ready_forbidden":    "the accept is recorded, but this token may not turn the draft ready (`mark_ready_forbidden`). Please click *Ready for review*.",
	"mark_draft_forbidden":    "the accept no longer holds, but this token may not turn the pull request into a draft. It is **not for merge** now.",
	"push_refused":            "the candidate could not be pushed: the branch was moved, or the forge refused it (%d). Nothing was overwritten; the work is in the ledger.",
	"head_moved":              "the head of this pull request is no longer the candidate. No earlier approval holds, and the gate waits again. `/warden recheck` has what was pushed judged as it is; refuse with `/warden reject` and a text for a new run, or take the label%l off and put it on.",
	"approval_dismissed":      "an approval was dismissed, so the accept of %d no longer holds. The gate waits again.",
}

// Reply returns the text of an answer, or false for a reason that has none.
func Reply(a Answer) (string, bool) {
	text, ok := said[a.Reason]
	if !ok || !keyForm().MatchString(a.Key) {
		return "", false
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<!-- warden:answer=%s -->\n", a.Key)
	if loginForm().MatchString(a.To) {
		fmt.Fprintf(&b, "@%s ", a.To)
	}
	if a.Reason == "status_asked" {
		text = strings.TrimRight(headline(a.State), "\n") + "\n\n" + spent(a.State) + "."
		if a.State.RunID == "" {
			text = "nothing has been run for this issue yet."
		}
	}
	label := ""
	if a.Label != "" {
		label = " " + plain.Inline(plain.Line(a.Label, 50))
	}
	b.WriteString(strings.NewReplacer("%d", plain.Inline(plain.Line(a.Detail, 100)), "%l", label).Replace(text))
	switch a.Reason {
	case "not_permitted", "self_accept_off", "more_approvals_needed", "help_asked":
		b.WriteString("\n\n" + rules(a.Rules))
	}
	fmt.Fprintf(&b, "\n\n_Code: `%s`", a.Reason)
	if a.RunID != "" {
		fmt.Fprintf(&b, ", run %s", code(a.RunID))
	}
	b.WriteString("._\n")
	return b.String(), true
}
