package contract

import "github.com/tolboy/warden/internal/strict"

// rawProject is project.yaml as written. Its shape is the one list of keys: the
// reader and the schema are both made from it.
type rawProject struct {
	Version   strict.Value[int]
	Name      strict.Value[string]
	BaseRef   strict.Value[string]
	Checks    strict.Value[[]strict.Entry[strict.Value[[]strict.Value[string]]]]
	Scopes    strict.Value[[]strict.Entry[strict.Value[[]strict.Value[string]]]]
	Setup     strict.Value[[]strict.Value[string]]
	CacheHome strict.Value[[]strict.Value[string]]
	CacheKeys strict.Value[[]strict.Value[string]]

	PreviewStart strict.Value[string]
	PreviewURL   strict.Value[string]

	DefaultChecks   strict.Value[string]
	DefaultBaseline strict.Value[string]
	DefaultRisk     strict.Value[string]
	DefaultFixes    strict.Value[int]
	DefaultMinutes  strict.Value[int]
	DefaultGateTTL  strict.Value[int]

	LandRemote  strict.Value[string]
	LandBase    strict.Value[string]
	PullRequest strict.Value[[]strict.Value[string]]

	Label       strict.Value[string]
	ForgeScope  strict.Value[string]
	Prefix      strict.Value[string]
	Permission  strict.Value[string]
	SelfAccept  strict.Value[bool]
	Approvals   strict.Value[int]
	Screenshots strict.Value[bool]
	Transcripts strict.Value[bool]
}

func (r *rawProject) shape() strict.Object {
	commands := func(v *strict.Value[[]strict.Value[string]]) strict.Shape { return strict.Texts(v, 0, command()) }
	paths := func(v *strict.Value[[]strict.Value[string]]) strict.Shape { return strict.Texts(v, 1, scopePath()) }
	return strict.Object{Fields: []strict.Field{
		{Key: "version", Required: true, Doc: "the version of this file, 1", Of: strict.Int(&r.Version, 1, 1)},
		{Key: "project", Required: true, Doc: "the name of the project", Of: strict.Text(&r.Name, line(100))},
		{Key: "base_ref", Doc: "the revision a candidate is compared with; default origin/main", Of: strict.Text(&r.BaseRef, ref())},
		{Key: "checks", Required: true, Doc: "named lists of check commands, at least one; a list may be empty", Of: strict.Table(&r.Checks, 1, name(), commands)},
		{Key: "scopes", Doc: "named lists of paths that a task may change", Of: strict.Table(&r.Scopes, 0, name(), paths)},
		{Key: "setup", Doc: "commands that prepare a fresh worktree", Of: strict.Texts(&r.Setup, 0, command())},
		{Key: "caches", Doc: "what setup leaves for later worktrees, which get it read-only", Of: strict.Object{Fields: []strict.Field{
			{Key: "home", Required: true, Doc: "paths below the home of the commands, such as .npm or .m2/repository", Of: strict.Texts(&r.CacheHome, 1, cachePath())},
			{Key: "keyed_by", Required: true, Doc: "files of the repository that say what belongs in them, such as package-lock.json", Of: strict.Texts(&r.CacheKeys, 1, cachePath())},
		}}},
		{Key: "preview", Doc: "who serves the page of a task that names neither visual_qa.start nor visual_qa.url", Of: strict.Object{Fields: []strict.Field{
			{Key: "start", Required: true, Doc: "command that serves the page of the worktree it is started in", Of: strict.Text(&r.PreviewStart, command())},
			{Key: "url", Doc: "address of the page; default " + DefaultURL, Of: strict.Text(&r.PreviewURL, address())},
		}}},
		{Key: "defaults", Doc: "values of a task that does not say otherwise", Of: strict.Object{Fields: []strict.Field{
			{Key: "checks", Doc: "name of a set of checks; default is the first declared", Of: strict.Text(&r.DefaultChecks)},
			{Key: "baseline_checks", Doc: "name of a non-empty set that must be green before anyone writes", Of: strict.Text(&r.DefaultBaseline)},
			{Key: "risk", Doc: "low, medium or high; default medium", Of: strict.Text(&r.DefaultRisk, strict.Words(risks()...))},
			{Key: "max_fix_attempts", Doc: "fix rounds of a whole run; default 2", Of: strict.Int(&r.DefaultFixes, 0, 10)},
			{Key: "timeout_minutes", Doc: "wall clock that all commands of one gate run share; default 30", Of: strict.Int(&r.DefaultMinutes, 1, 240)},
			{Key: "gate_ttl_hours", Doc: "hours in which a person may permit what a run asks for; default none", Of: strict.Int(&r.DefaultGateTTL, 1, maxGateTTL)},
		}}},
		{Key: "land", Doc: "where an accepted candidate goes when a person asks for it", Of: strict.Object{Fields: []strict.Field{
			{Key: "remote", Doc: "name of the remote to push to", Of: strict.Text(&r.LandRemote, remote())},
			{Key: "base", Doc: "branch that the pull request asks to join", Of: strict.Text(&r.LandBase, ref())},
			{Key: "pull_request", Doc: "command and arguments that open a pull request; {{remote}} {{branch}} {{base}} {{title}} {{body_file}}",
				Of: strict.Texts(&r.PullRequest, 0, pullRequestArgument())},
		}}},
		{Key: "forge", Doc: "how the project is worked on through GitHub or GitLab", Of: r.forgeShape()},
	}}
}

func (r *rawProject) forgeShape() strict.Object {
	return strict.Object{Fields: []strict.Field{
		{Key: "label", Doc: "the label on an issue that starts a run; default warden", Of: strict.Text(&r.Label, label())},
		{Key: "scope", Doc: "name of the scope of an issue that names none", Of: strict.Text(&r.ForgeScope)},
		{Key: "branch_prefix", Doc: "how the names of our branches begin; default warden/", Of: strict.Text(&r.Prefix, branchPrefix())},
		{Key: "decide", Doc: "who may answer at the gate", Of: strict.Object{Fields: []strict.Field{
			{Key: "permission", Doc: "the least permission of who may answer; default write",
				Of: strict.Text(&r.Permission, strict.Words("triage", "write", "maintain", "admin"))},
			{Key: "self_accept", Doc: "whether who asked for the work may also accept it; default true", Of: strict.Bool(&r.SelfAccept)},
			{Key: "approvals", Doc: "how many approvals an accept needs; default 1", Of: strict.Int(&r.Approvals, 1, 10)},
		}}},
		{Key: "publish", Doc: "what leaves the machine beside the ledger", Of: strict.Object{Fields: []strict.Field{
			{Key: "screenshots", Doc: "screenshots; default true", Of: strict.Bool(&r.Screenshots)},
			{Key: "transcripts", Doc: "raw transcripts and prompts; default false", Of: strict.Bool(&r.Transcripts)},
		}}},
	}}
}
