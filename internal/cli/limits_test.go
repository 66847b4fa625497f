package cli

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/doctor"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/setup"
)

// flow is as much of a workflow as says how long its jobs may take.
type flow struct {
	Jobs map[string]struct {
		Minutes int               `yaml:"timeout-minutes"`
		Env     map[string]string `yaml:"env"`
		Steps   []struct {
			Uses string `yaml:"uses"`
		} `yaml:"steps"`
	} `yaml:"jobs"`
}

// TestExampleJobsOutlastARun holds the published workflows to the limits that the
// starter files and a project's defaults set: the job ends after the longest run,
// and says so to the program.
func TestExampleJobsOutlastARun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := setup.Write(dir); err != nil {
		t.Fatal(err)
	}
	home, err := policy.Load(dir, os.DirFS(dir))
	if err != nil || len(home.Profiles) < 5 {
		t.Fatalf("load %d starter profiles: %v", len(home.Profiles), err)
	}
	project, err := contract.ParseProject("project.yaml", []byte("version: 1\nproject: shop\nchecks:\n  fast: [\"true\"]\ndefaults:\n  baseline_checks: fast\n"))
	if err != nil {
		t.Fatal(err)
	}
	warned := func(minutes int) []string {
		return doctor.WarnLimits(home, project, []string{doctor.JobVariable + "=" + strconv.Itoa(minutes), "GITHUB_ACTIONS=true", "RUNNER_ENVIRONMENT=github-hosted"})
	}
	files, err := filepath.Glob("../../examples/github-actions/*.yml")
	if err != nil {
		t.Fatal(err)
	}
	works := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var f flow
		if err := yaml.Unmarshal(data, &f); err != nil || len(f.Jobs) == 0 {
			t.Fatalf("%s: %d jobs, %v", file, len(f.Jobs), err)
		}
		for name, job := range f.Jobs {
			if job.Minutes <= 0 {
				t.Errorf("PR-18: %s: the job %s has no timeout-minutes", file, name)
			}
			for _, step := range job.Steps {
				if !strings.HasPrefix(step.Uses, "tolboy/warden@") {
					continue
				}
				works++
				if told := job.Env[doctor.JobVariable]; told != strconv.Itoa(job.Minutes) {
					t.Errorf("PR-18: %s: the job %s ends after %d minutes and tells Warden %q", file, name, job.Minutes, told)
				}
				if job.Minutes >= 360 {
					t.Errorf("PR-18: %s: the job %s may take %d minutes, and a hosted runner ends it after 360", file, name, job.Minutes)
				}
				if got := warned(job.Minutes); len(got) != 0 {
					t.Errorf("PR-18: %s: the job %s: %q", file, name, got)
				}
			}
		}
	}
	if works == 0 {
		t.Error("no workflow uses Warden: nothing was compared")
	}
	if len(warned(200)) != 1 || len(warned(40)) < 1 {
		t.Errorf("a job of 200 minutes is warned of with %q, one of 40 with %q", warned(200), warned(40))
	}
}
