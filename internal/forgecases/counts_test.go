package forgecases

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tolboy/warden/forge"
	"github.com/tolboy/warden/forge/forgetest"
)

// TestWhoCounts is whose word decides nothing, and is answered nowhere: an answer
// to a machine could be an answer to its answer.
func TestWhoCounts(t *testing.T) {
	t.Parallel()
	t.Run("another bot that may write", func(t *testing.T) {
		t.Parallel()
		const robot = "dependabot[bot]"
		w := newWorld(t, setting{})
		if err := w.server.AddPerson(forgetest.Person{Login: robot, Permission: forge.Admin, Bot: true}); err != nil {
			t.Fatal(err)
		}
		first := w.candidate()
		before := w.said("")
		p := w.act(w.comment(robot, w.pull, "/warden accept "+first.Pull.Head))
		w.want(p.words() == "" && p.did("ignore", "bot_account") && p.Pull.Draft && w.said("") == before, "it counted: %s", p)
		w.want(strings.Contains(w.read(w.path("summary.md")), "`ignore`  (`bot_account`)"), "the job's summary does not say why")
		w.settled()
	})
	t.Run("an account that is gone", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		if err := w.server.AddPerson(forgetest.Person{Login: "gone", Permission: forge.Maintain}); err != nil {
			t.Fatal(err)
		}
		first := w.candidate()
		before := w.said("")
		d := w.comment("gone", w.pull, "/warden accept "+first.Pull.Head)
		if err := w.server.DeletePerson("gone"); err != nil {
			t.Fatal(err)
		}
		p := w.act(d)
		w.want(p.words() == "" && p.did("ignore", "unknown_actor") && p.Pull.Draft && w.said("") == before, "it counted: %s", p)
		w.settled()
	})
	t.Run("more people than are asked about", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		first := w.candidate()
		for i := range 100 {
			login := fmt.Sprintf("visitor-%d", i)
			if err := w.server.AddPerson(forgetest.Person{Login: login, Permission: forge.Read}); err != nil {
				t.Fatal(err)
			}
			w.review(login, forge.Commented, "I was here.")
		}
		d := w.review(wil, forge.ChangesRequested, "Greet twice.")
		w.review(mona, forge.Approved, "")
		p := w.act(d)
		// Somebody who may be one that may refuse did so: nobody accepts it.
		w.want(p.words() == "" && p.did("ignore", "permission_unknown") && p.Pull.Draft && len(p.Runs) == 1, "it was decided: %s", p)
		w.want(w.check(first.Pull.Head) == "waiting", "the gate is %q", w.check(first.Pull.Head))
	})
	t.Run("a review that only comments", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		w.candidate()
		before := w.said("")
		p := w.act(w.review(wil, forge.Commented, "Nice.", forgetest.InlineComment{Path: "greeting.txt", Line: 1, Body: "Who reads this?"}))
		w.want(p.words() == "" && p.did("ignore", "review_without_verdict") && p.Pull.Draft && w.said("") == before, "it decided: %s", p)
		w.settled()
	})
}

// TestUnread is what the forge does not tell: it decides nothing, and is owed
// still when the forge tells it.
func TestUnread(t *testing.T) {
	t.Parallel()
	t.Run("whether a text was edited", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		w.open()
		w.server.SetFaults(forgetest.Faults{EditsForbidden: true})
		p := w.act(w.label())
		w.want(len(p.Runs) == 0 && p.did("ask", "edits_unknown") && w.model.made() == 0, "it ran: %s", p)
		w.told("edits_unknown", "the forge did not say whether the text was edited")
		w.settled()
		w.server.SetFaults(forgetest.Faults{})
		w.sent(w.server.RemoveLabel(mona, w.issue, "warden"))
		p = w.act(w.label())
		w.want(len(p.Runs) == 1 && p.Runs[0].Reason == "ready_for_human", "a fresh label did not start: %s", p)
		w.pull = p.Pull.Number
		w.server.SetFaults(forgetest.Faults{EditsForbidden: true})
		w.review(mona, forge.Approved, "")
		p = w.act(w.woken())
		w.want(p.words() == "" && p.did("ask", "review_edited") && p.Pull.Draft, "a review that may have been edited counts: %s", p)
	})
	t.Run("what a person may do", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		w.open()
		if err := w.server.DropRoute("collaborator.permission", 403); err != nil {
			t.Fatal(err)
		}
		p := w.act(w.label())
		w.want(len(p.Runs) == 0 && p.did("nothing", "observation_partial") && w.model.made() == 0 && w.said("") == 0, "it decided: %s", p)
		w.want(strings.Contains(w.read(w.path("summary.md")), "could not be read: permission of "+mona), "the job's summary does not say what is missing")
		w.server.RestoreRoutes()
		p = w.schedule()
		w.want(len(p.Runs) == 1 && p.Runs[0].Reason == "ready_for_human", "the label was lost: %s", p)
		w.settled()
	})
	t.Run("who put the label on", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		w.open()
		d := w.label()
		w.server.SetFaults(forgetest.Faults{EventsLate: 1})
		p := w.act(d)
		w.want(len(p.Runs) == 0 && p.did("ignore", "label_event_missing") && w.model.made() == 0, "it ran for nobody: %s", p)
		w.server.SetFaults(forgetest.Faults{})
		p = w.schedule()
		w.want(len(p.Runs) == 1 && p.Runs[0].Reason == "ready_for_human", "the label was lost: %s", p)
		w.settled()
	})
}
