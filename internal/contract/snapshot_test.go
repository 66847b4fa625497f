package contract

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func tree() fstest.MapFS {
	return fstest.MapFS{
		"project.yaml":          {Data: []byte(minimalProject)},
		"tasks/t1.yaml":         {Data: []byte(minimalTask)},
		"tasks/t2.yaml":         {Data: []byte("other")},
		"runs/r1/task-run.json": {Data: []byte("{}")},
		"runs/.gitignore":       {Data: []byte("*")},
		"notes/runs/deep.txt":   {Data: []byte("counts")},
		"runs.txt":              {Data: []byte("counts too")},
	}
}

func take(t *testing.T, fsys fs.FS) Snapshot {
	t.Helper()
	s, err := Take(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSnapshotDiff(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(fstest.MapFS)
		want   []string
	}{
		{"nothing", func(fstest.MapFS) {}, nil},
		{"CI-03_sibling_modified", func(m fstest.MapFS) { m["tasks/t2.yaml"] = &fstest.MapFile{Data: []byte("else")} }, []string{"tasks/t2.yaml modified"}},
		{"CI-03_added", func(m fstest.MapFS) { m["tasks/t3.yaml"] = &fstest.MapFile{} }, []string{"tasks/t3.yaml added"}},
		{"CI-03_removed", func(m fstest.MapFS) { delete(m, "project.yaml") }, []string{"project.yaml removed"}},
		{"CI-03_renamed", func(m fstest.MapFS) { m["tasks/t0.yaml"] = m["tasks/t1.yaml"]; delete(m, "tasks/t1.yaml") },
			[]string{"tasks/t0.yaml added", "tasks/t1.yaml removed"}},
		{"CI-03_same_size", func(m fstest.MapFS) { m["tasks/t2.yaml"] = &fstest.MapFile{Data: []byte("othes")} }, []string{"tasks/t2.yaml modified"}},
		{"CI-03_replaced_by_link", func(m fstest.MapFS) {
			m["tasks/t2.yaml"] = &fstest.MapFile{Data: []byte("t1.yaml"), Mode: fs.ModeSymlink}
		},
			[]string{"tasks/t2.yaml modified"}},
		{"runs_do_not_count", func(m fstest.MapFS) { m["runs/r2/x.json"] = &fstest.MapFile{}; delete(m, "runs/.gitignore") }, nil},
		{"runs_elsewhere_count", func(m fstest.MapFS) { delete(m, "notes/runs/deep.txt"); delete(m, "runs.txt") },
			[]string{"notes/runs/deep.txt removed", "runs.txt removed"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			before, changed := take(t, tree()), tree()
			tt.change(changed)
			after := take(t, changed)
			if diff := cmp.Diff(tt.want, before.Diff(after)); diff != "" {
				t.Errorf("diff (-want +got):\n%s", diff)
			}
			if same := before.SHA256() == after.SHA256(); same != (tt.want == nil) {
				t.Errorf("same digest: %v, with changes %q", same, tt.want)
			}
		})
	}
}

func TestSnapshotOfADirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.CopyFS(dir, tree()); err != nil {
		t.Fatal(err)
	}
	before := take(t, os.DirFS(dir))
	if got := before.Diff(take(t, tree())); got != nil {
		t.Errorf("a directory and a map of the same files differ: %q", got)
	}
	link := filepath.Join(dir, "tasks", "t9.yaml")
	if err := os.Symlink("t1.yaml", link); err != nil {
		t.Fatal(err)
	}
	linked := take(t, os.DirFS(dir))
	if diff := cmp.Diff([]string{"tasks/t9.yaml added"}, before.Diff(linked)); diff != "" {
		t.Errorf("a new link (-want +got):\n%s", diff)
	}
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("t2.yaml", link); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"tasks/t9.yaml modified"}, linked.Diff(take(t, os.DirFS(dir)))); diff != "" {
		t.Errorf("a link that leads elsewhere (-want +got):\n%s", diff)
	}
	if _, err := Take(os.DirFS(filepath.Join(dir, "absent"))); err == nil || !strings.HasPrefix(err.Error(), "hash .warden: ") {
		t.Errorf("a directory that is not there: got %v, want an error", err)
	}
}

func TestAcceptanceSHA256(t *testing.T) {
	t.Parallel()
	p := project(t, richProject)
	digest := func(t *testing.T, task string, change func(fstest.MapFS)) string {
		t.Helper()
		fsys := tree()
		fsys["tasks/t1.yaml"] = &fstest.MapFile{Data: []byte(task)}
		change(fsys)
		loaded, err := LoadTask(fsys, "t1", p)
		if err != nil {
			t.Fatal(err)
		}
		return AcceptanceSHA256(take(t, fsys), loaded.Path, loaded)
	}
	keep := func(fstest.MapFS) {}
	base := digest(t, minimalTask, keep)
	for name, extra := range map[string]string{
		"budgets": "budgets: {max_role_runs: 20, max_cost_usd: 0}\n", "fixes": "max_fix_attempts: 9\n", "timeout": "timeout_minutes: 99\n",
		"comment": "# a remark\n", "spelled_default": "risk: medium\nchecks: fast\n",
	} {
		if digest(t, minimalTask+extra, keep) != base {
			t.Errorf("%s changes what a candidate is judged by", name)
		}
	}
	for name, extra := range map[string]string{
		"non_goals": "non_goals: [x]\n", "risk": "risk: high\n", "checks": "checks: health\n", "acceptance": "acceptance: [x]\n",
		"write": "authority: {workspace_write: false}\n", "network": "authority: {network: true}\n",
		"visual": "visual_qa: {required: true, scenarios: [x]}\n", "scenarios": "visual_qa: {scenarios: [x]}\n", "url": "visual_qa: {url: 'http://h/'}\n", "start": "visual_qa: {start: x}\n",
	} {
		if digest(t, minimalTask+extra, keep) == base {
			t.Errorf("%s does not change what a candidate is judged by", name)
		}
	}
	if digest(t, strings.Replace(minimalTask, "do it", "do that", 1), keep) == base {
		t.Error("the goal does not change what a candidate is judged by")
	}
	if digest(t, minimalTask, func(m fstest.MapFS) { m["project.yaml"] = &fstest.MapFile{Data: []byte("x")} }) == base {
		t.Error("another file of the contract does not change what a candidate is judged by")
	}
}
