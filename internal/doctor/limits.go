package doctor

import (
	"fmt"
	"strconv"
	"time"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/workflow"
)

// Limits are the time limits that nest in each other. Zero is not known.
type Limits struct {
	Job     time.Duration // of whoever started us, such as a CI job
	JobFrom string        // where Job is from
	Gate    time.Duration // of all commands of one gate run
	Vendors []VendorLimit // of one call
	Fixes   int           // fix rounds of a run
	// Baseline says that the gates run once more, on the unchanged tree.
	Baseline bool
}

// VendorLimit is the wall clock of one profile.
type VendorLimit struct {
	Profile, Role string
	Limit         time.Duration
}

// CheckLimits warns where an outer limit would end an inner one: when the outer
// killer wins, no report, no cost and no reason is left.
func CheckLimits(l Limits) []string {
	if l.Job <= 0 {
		return nil
	}
	var out []string
	if l.Gate >= l.Job {
		out = append(out, fmt.Sprintf("one gate run may take %s, and %s ends everything after %s: raise the outer limit or lower timeout_minutes", l.Gate, l.JobFrom, l.Job))
	}
	longest := map[string]time.Duration{}
	for _, v := range l.Vendors {
		if v.Limit >= l.Job {
			out = append(out, fmt.Sprintf("one call of profile %s may take %s, and %s ends everything after %s: raise the outer limit or lower limits.wall_clock_minutes", v.Profile, v.Limit, l.JobFrom, l.Job))
		}
		longest[v.Role] = max(longest[v.Role], v.Limit)
	}
	gates := 1 + l.Fixes
	if l.Baseline {
		gates++
	}
	run := time.Duration(gates) * l.Gate
	for role, limit := range longest {
		times := 1
		if role == "implementer" || role == "reviewer" {
			times += l.Fixes
		}
		run += time.Duration(times) * limit
	}
	if len(out) == 0 && run >= l.Job {
		out = append(out, fmt.Sprintf("a run that uses all of its time may take %s, and %s ends everything after %s: such a run is cut off", run, l.JobFrom, l.Job))
	}
	return out
}

// JobVariable names the limit of the job around us, in minutes. A CI system does
// not tell its jobs how long they may run.
const JobVariable = "WARDEN_JOB_MINUTES"

const hostedLimit = 6 * time.Hour

// WarnLimits warns of the limits of one home and project inside of the job that
// the environment tells of. A project that could not be read is the zero one.
func WarnLimits(h policy.Home, p contract.Project, env []string) []string {
	told := environment(env)
	out := CheckLimits(limitsOf(h, p, told))
	if v := told[JobVariable]; v != "" && minutes(v) == 0 {
		out = append(out, fmt.Sprintf("%s is %q, which is no whole number of minutes, so the job's limit is not known", JobVariable, v))
	}
	return out
}

// minutes reads a limit, zero for none.
func minutes(text string) time.Duration {
	n, err := strconv.Atoi(text)
	if err != nil || n <= 0 || n > 1_000_000 {
		return 0
	}
	return time.Duration(n) * time.Minute
}

func limitsOf(h policy.Home, p contract.Project, env map[string]string) Limits {
	var l Limits
	if l.Job = minutes(env[JobVariable]); l.Job > 0 {
		l.JobFrom = "the job's limit (" + JobVariable + ")"
	}
	hosted := env["GITHUB_ACTIONS"] == "true" && env["RUNNER_ENVIRONMENT"] == "github-hosted"
	if hosted && (l.Job == 0 || l.Job > hostedLimit) {
		l.Job, l.JobFrom = hostedLimit, "GitHub's limit for hosted runners"
	}
	l.Gate, l.Fixes, l.Baseline = p.Defaults.Timeout, p.Defaults.MaxFixAttempts, p.Defaults.BaselineChecks != ""
	asked := inChain(h.Policy.Stages)
	for _, name := range h.ProfileNames() {
		if v := h.Profiles[name]; asked[v.Role] {
			l.Vendors = append(l.Vendors, VendorLimit{Profile: name, Role: v.Role, Limit: v.WallClock})
		}
	}
	return l
}

// inChain are the roles that a run may ask.
func inChain(stages []workflow.Stage) map[string]bool {
	if len(stages) == 0 {
		stages = workflow.BuiltIn()
	}
	asked := map[string]bool{}
	for _, s := range stages {
		if s.Run == workflow.RunRole {
			asked[s.Role] = true
		}
		if s.OnFail == workflow.RouteFix || s.OnFindings == workflow.RouteFix {
			asked[s.FixWith] = true
		}
	}
	return asked
}
