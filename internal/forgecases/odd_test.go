package forgecases

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/tolboy/warden/forge"
	"github.com/tolboy/warden/forge/forgetest"
	"github.com/tolboy/warden/internal/demo"
)

func (w *world) gitOut(args ...string) (string, error) {
	out, err := exec.Command("git", append([]string{"--git-dir", w.server.GitDir()}, args...)...).CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func TestOddities(t *testing.T) {
	t.Parallel()
	t.Run("peer-09 deleted fork and ghost author", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		if err := w.server.AddPerson(forgetest.Person{Login: "gone", Permission: forge.Maintain}); err != nil {
			t.Fatal(err)
		}
		w.open()
		w.comment("gone", w.issue, "/warden status")
		n, opened, err := w.server.OpenForkPR("gone", "main", "From nowhere", map[string]string{"README.md": "# x\n"})
		if err != nil {
			t.Fatal(err)
		}
		label := w.label()
		first := w.act(label)
		w.want(len(first.Runs) == 1 && first.Pull != nil, "no candidate: %s", first)
		w.pull = first.Pull.Number
		w.review("gone", forge.Approved, "")
		if err := w.server.DeleteFork(n); err != nil {
			t.Fatal(err)
		}
		if err := w.server.DeletePerson("gone"); err != nil {
			t.Fatal(err)
		}
		p := w.act(opened)
		w.want(len(p.Decisions) == 0, "a fork's event decided: %s", p)
		p = w.act(w.woken())
		w.want(p.words() == "" && p.Pull.Draft, "a ghost decided: %s", p)
		p = w.act(w.sent(w.server.WorkflowRun(mona, "Warden: a review came in", n, "success")))
		w.want(p.words() == "", "a fork's review decided: %s", p)
		w.settled()
	})
	t.Run("peer-10 odd branch names of pull requests", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		for _, name := range []string{"#8982-bugfix", "feat(x)-y", "AB#1-a", "t@v", "a+b", "-x", "a..b", "a@{1}", "warden/issue-1-x", "warden/issue-0-x", "warden/issue-99999999999999999999-x"} {
			n, d, err := w.server.OpenForkPR(sam, name, "From "+name, map[string]string{"README.md": "# " + name + "\n"})
			if err != nil {
				t.Fatal(err)
			}
			p := w.try(d, "state")
			w.want(len(p.Runs) == 0 && p.Code != "warden_error", "head %q: %s", name, p)
			p = w.try(w.sent(w.server.WorkflowRun(mona, "ci", n, "success")), "state")
			w.want(len(p.Runs) == 0 && p.Code != "warden_error", "head %q: %s", name, p)
		}
		w.want(w.model.made() == 0 && len(w.refs("refs/heads/")) == 1, "branches %v", w.refs("refs/heads/"))
	})
	legal := []string{"#8982-bugfix", "feat(x)-y", "AB#1-a", "t@v", "a+b"}
	if !all() {
		dice := chance(t)
		dice.Shuffle(len(legal), func(i, j int) { legal[i], legal[j] = legal[j], legal[i] })
		legal = legal[:1]
	}
	for _, name := range legal {
		t.Run("peer-10 default branch "+name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, setting{branch: name})
			w.candidate()
			w.settled()
		})
	}
	t.Run("the vendor prints its key", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{writer: []demo.Turn{{Role: "implementer", Write: map[string]string{"greeting.txt": greeting},
			Answer: done("I was given "+key+" to work with.", "greeting.txt"), Stderr: "key: " + key + "\n"}}})
		w.candidate()
		_, body := w.body()
		w.want(strings.Contains(body, "I was given") && !strings.Contains(body, key), "the summary:\n%s", body)
	})
	t.Run("two runners on the same event", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		w.open()
		d := w.label()
		// Both read before either claims: the second comes while the first one's
		// vendor works, and again from a state directory that knows nothing.
		one, err := w.start(d, "state")
		if err != nil {
			t.Fatal(err)
		}
		two, err := w.start(d, "other")
		if err != nil {
			t.Fatal(err)
		}
		p, err := one.wait()
		if err != nil {
			t.Fatal(err)
		}
		q, err := two.wait()
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range []printed{p, q} {
			w.want(x.status == 0 && x.OK, "a runner was loud: %s", x)
		}
		w.want(w.model.made() == 1 && len(w.refs("refs/warden/runs/")) <= 2, "%d vendor calls, ledgers %v", w.model.made(), w.refs("refs/warden/"))
		end := w.settled()
		w.want(len(end.Runs) == 1 && end.Pull != nil && end.Pull.Draft, "the end: %s", end)
	})
	t.Run("two runners on the same approval", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		w.candidate()
		w.review(mona, forge.Approved, "")
		d := w.woken()
		one, err := w.start(d, "state")
		if err != nil {
			t.Fatal(err)
		}
		two, err := w.start(d, "other")
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range []*job{one, two} {
			p, err := j.wait()
			if err != nil {
				t.Fatal(err)
			}
			w.want(p.status == 0 && p.OK, "a runner was loud: %s", p)
		}
		p := w.settled()
		w.want(p.words() == "accept" && !p.Pull.Draft, "the end: %s", p)
	})
}
