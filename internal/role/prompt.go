package role

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/workflow"
)

// maxDiff bounds how much of the diff a prompt carries, in bytes.
const maxDiff = 192 << 10

// prompt renders what the vendor is told. Everything that came from an issue, a
// tree or a person stands in it as fenced data. What a template leaves out and
// the role cannot do without is appended.
func (d *Dispatcher) prompt(ctx context.Context, req Request, p policy.Profile, m material, g *gaze) (text string, backfilled []string, err error) {
	template, values := m.template, promptValues(req, m.schemaJSON)
	g.fill(values)
	if seesOnlyItsPrompt(p) || uses(template, "diff") {
		var truncated bool
		if values["diff"], truncated, err = d.diff(ctx); err != nil {
			return "", nil, err
		}
		if truncated && seesOnlyItsPrompt(p) {
			return "", nil, fmt.Errorf("%w: profile %q has no tools to read with, and the change is larger than the %d bytes of it that a prompt holds", errUndeliverable, p.Name, maxDiff)
		}
	}
	text, err = render(p.PromptTemplate, template, values)
	if err != nil {
		return "", nil, err
	}
	if seesOnlyItsPrompt(p) && !uses(template, "diff") {
		backfilled = append(backfilled, "diff")
		text += "\n\n## The change\n\nYou have no tools; this is all that can be seen of the candidate:\n\n" + values["diff"] + "\n"
	}
	if tools, _ := policy.ToolsOf(p); tools.EnforcedBy == policy.ToolsAsked {
		backfilled = append(backfilled, "tools")
		text += "\n\n## Tools\n\nUse only tools of these kinds: " + strings.Join(tools.Allow, ", ") + ". Having no others is normal.\n"
	}
	if g != nil && !uses(template, "vision_note") {
		backfilled = append(backfilled, "vision_note")
		text += "\n\n## The pictures\n\n" + values["vision_note"] + "\n\n" + values["screenshots"] + "\n"
	}
	if g != nil && len(g.measured) > 0 && !uses(template, "harness_report") {
		backfilled = append(backfilled, "harness_report")
		text += "\n\n## What a machine has measured\n\n" + values["harness_report"] + "\n"
	}
	if len(req.Task.Visual.Scenarios) > 0 && !uses(template, "visual_scenarios") {
		backfilled = append(backfilled, "visual_scenarios")
		text += "\n\n## Browser scenarios\n\nThese are checked in a real browser and are part of what done means, beside the acceptance commands:\n\n" + values["visual_scenarios"] + "\n"
	}
	if len(req.Context) > 0 && !uses(template, "context") {
		backfilled = append(backfilled, "context")
		text += "\n\n## What happened before\n\n" + values["context"] + "\n"
	}
	return text, backfilled, nil
}

// errUndeliverable marks a prompt that its reader could make nothing of.
var errUndeliverable = errors.New("the prompt cannot be delivered")

// seesOnlyItsPrompt reports whether a profile's reader sees nothing of the candidate
// but what its prompt holds.
func seesOnlyItsPrompt(p policy.Profile) bool {
	return p.Runner == "local" && policy.Judges(p.Role) && p.Role != workflow.PlanReviewer
}

func promptValues(req Request, schema string) map[string]string {
	t := req.Task
	return map[string]string{
		"task_id":              t.ID,
		"run_id":               req.RunID,
		"goal":                 fence("text", t.Goal),
		"operator_goal":        fence("text", t.Goal),
		"named_checks":         named(checkSets(req.Project)),
		"named_scopes":         named(scopeSets(req.Project)),
		"non_goals":            bullets(t.NonGoals),
		"risk":                 t.Risk,
		"project":              inline(req.ProjectName),
		"base_ref":             inline(t.BaseRef),
		"diff_base_commit":     req.Base,
		"scope_paths":          scopePaths(t.Scope),
		"changed_files":        changedFiles(req.Changed),
		"acceptance_commands":  bullets(t.Acceptance),
		"visual_scenarios":     bullets(t.Visual.Scenarios),
		"authority":            authority(t.Authority),
		"max_fix_attempts":     fmt.Sprint(t.MaxFixAttempts),
		"timeout_minutes":      fmt.Sprint(int(t.Timeout.Minutes())),
		"budget_max_role_runs": fmt.Sprint(t.MaxRoleRuns),
		"budget_max_cost_usd":  fmt.Sprint(t.MaxCostUSD),
		"contract_path":        inline(".warden/" + t.Path),
		"schema_json":          schema,
		"schema_pretty":        pretty(schema),
		"context":              contextText(req.Context),
		"context_path":         contextPath(req.ContextPath),
		"screenshots":          "(none)",
		"vision_note":          "No pictures are attached.",
		"evidence_dir":         "(none)",
		"harness_report":       "(none)",
		"diff":                 "",
	}
}

func authority(a contract.Authority) string {
	return fmt.Sprintf("workspace_write=%t, network=%t, land=%t", a.WorkspaceWrite, a.Network, a.Land)
}

func scopePaths(scope []string) string {
	shown := make([]string, len(scope))
	for i, s := range scope {
		shown[i] = inline(s)
	}
	return strings.Join(shown, ", ")
}

// changedFiles lists the candidate's paths. Warden's own files are never among
// them: they are no part of the candidate.
func changedFiles(paths []string) string {
	var own []string
	for _, p := range paths {
		if !stateTree(p) {
			own = append(own, p)
		}
	}
	if len(own) == 0 {
		return "Nothing has changed against the base commit."
	}
	return bullets(own)
}

func stateTree(path string) bool { return path == ".warden" || strings.HasPrefix(path, ".warden/") }

func contextText(b []byte) string {
	if len(b) == 0 {
		return "(nothing: this is the first attempt)"
	}
	return fence("markdown", string(b))
}

func contextPath(p string) string {
	if p == "" {
		return "(none)"
	}
	return inline(p)
}

func pretty(schema string) string {
	if schema == "" {
		return "(none)"
	}
	var v json.RawMessage = []byte(schema)
	out, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return schema
	}
	return fence("json", string(out))
}

// diff shows a reader without a shell what changed, lines that are gone too.
func (d *Dispatcher) diff(ctx context.Context) (shown string, truncated bool, err error) {
	text, truncated, err := d.Judge.Diff(ctx, maxDiff)
	if err != nil {
		return "", false, fmt.Errorf("read the diff for the prompt: %w", err)
	}
	text = withoutState(text)
	if strings.TrimSpace(text) == "" {
		return "Nothing has changed against the base commit.", truncated, nil
	}
	note := ""
	if truncated {
		note = fmt.Sprintf("\n\nThe diff is cut after %d bytes; read the listed files for the rest.", maxDiff)
	}
	return fence("diff", text) + note, truncated, nil
}

// withoutState drops the sections of a diff that are about Warden's own files.
func withoutState(diff string) string {
	var b strings.Builder
	keep := true
	for _, line := range strings.SplitAfter(diff, "\n") {
		if strings.HasPrefix(line, "diff --git ") {
			keep = !strings.HasPrefix(line, "diff --git a/.warden/") && !strings.HasPrefix(line, `diff --git "a/.warden/`)
		}
		if keep {
			b.WriteString(line)
		}
	}
	return b.String()
}

// handover tells a successor that the tree holds somebody's unfinished work.
const handover = `## You continue interrupted work

Another agent began this task in this tree and was stopped before it finished. The tree already holds edits of
that agent which nobody has reviewed. They are no baseline: read them against the base commit, keep what serves the
goal, and undo what does not.

`
