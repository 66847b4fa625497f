package policy

import "github.com/tolboy/warden/internal/strict"

// rawProfile is a profile as written. Its shape is the one list of keys.
type rawProfile struct {
	Version     strict.Value[int]
	Name        strict.Value[string]
	Role        strict.Value[string]
	Vendor      strict.Value[string]
	Runner      strict.Value[string]
	Command     strict.Value[string]
	Args        strict.Value[[]strict.Value[string]]
	Model       strict.Value[string]
	Effort      strict.Value[string]
	ReadOnly    strict.Value[bool]
	Minutes     strict.Value[int]
	MaxCost     strict.Value[float64]
	Prompt      strict.Value[string]
	Schema      strict.Value[string]
	Enforce     strict.Value[bool]
	Required    strict.Value[[]strict.Value[string]]
	Tools       strict.Value[[]strict.Value[string]]
	Signatures  strict.Value[[]strict.Value[string]]
	Delivery    strict.Value[string]
	Flag        strict.Value[string]
	Vision      strict.Value[struct{}]
	VisionBy    strict.Value[string]
	VisionProof strict.Value[string]
	Acquires    strict.Value[bool]
	Endpoint    strict.Value[string]
	KeyEnv      strict.Choice
	Env         strict.Value[[]strict.Entry[strict.Value[string]]]
	Sandbox     strict.Value[string]
	Share       strict.Value[[]strict.Value[string]]
	VerifiedOn  strict.Value[string]
	Status      strict.Value[string]
	Probe       strict.Value[string]
	Expect      strict.Value[string]
	VerifyNote  strict.Value[string]
	WhatToCheck strict.Value[[]strict.Value[string]]
	Notes       strict.Choice
}

func (r *rawProfile) shape() strict.Object {
	setting := func(v *strict.Value[string]) strict.Shape { return strict.Text(v, placeholders()) }
	return strict.Object{
		Fields: []strict.Field{
			{Key: "version", Required: true, Doc: "the version of this file, 1", Of: strict.Int(&r.Version, 1, 1)},
			{Key: "profile", Required: true, Doc: "the name of the profile, as in the name of its file", Of: strict.Text(&r.Name, name("profile"))},
			{Key: "role", Required: true, Doc: "the role that it fills", Of: strict.Text(&r.Role, role())},
			{Key: "vendor", Required: true, Doc: "whose model it is; a reviewer must not share it with a writer", Of: strict.Text(&r.Vendor, name("vendor"))},
			{Key: "runner", Doc: "how it is run; default direct", Of: strict.Text(&r.Runner, strict.Words("direct", "orca", "local"))},
			{Key: "command", Doc: "the program; required unless runner is local", Of: strict.Text(&r.Command, line())},
			{Key: "args", Doc: "its arguments; {{prompt}} {{prompt_file}} {{schema_json}} {{repo_root}} {{run_id}} {{task_id}} {{model}} {{effort}} {{tools}} {{evidence_dir}}",
				Of: strict.Texts(&r.Args, 0, placeholders())},
			{Key: "model", Doc: "the model; reaches a program through {{model}}, or by its name in args", Of: strict.Text(&r.Model, line())},
			{Key: "effort", Doc: "the level of effort; reaches the program through {{effort}}", Of: strict.Text(&r.Effort, effort())},
			{Key: "read_only", Doc: "whether it must leave the tree as it was; default true", Of: strict.Bool(&r.ReadOnly)},
			{Key: "limits", Doc: "what one call may take", Of: strict.Object{
				Fields: []strict.Field{
					{Key: "wall_clock_minutes", Doc: "default 20", Of: strict.Int(&r.Minutes, 1, 240)},
					{Key: "max_cost_usd", Doc: "what one call can cost at most, as the program itself is held to; default unknown", Of: strict.Number(&r.MaxCost, 0.0001, 10000)},
				},
			}},
			{Key: "prompt_template", Doc: "file with the prompt, relative to the directory of policy.yaml", Of: strict.Text(&r.Prompt, line())},
			{Key: "json_schema", Doc: "file with the schema of the answer, relative to the directory of policy.yaml", Of: strict.Text(&r.Schema, line())},
			{Key: "enforce_schema", Doc: "whether an answer that does not fit is refused; default true", Of: strict.Bool(&r.Enforce)},
			{Key: "artifact", Doc: "what the answer must hold", Of: strict.Object{Fields: []strict.Field{
				{Key: "required_fields", Doc: "names of fields", Of: strict.Texts(&r.Required, 0, line())},
			}}},
			{Key: "tools", Doc: "what the model may work with", Of: strict.Object{Fields: []strict.Field{
				{Key: "allow", Doc: "kinds of tools; {{tools}} in args or env tells the program", Of: strict.Texts(&r.Tools, 1, strict.Words(ToolKinds()...))},
			}}},
			{Key: "quota", Doc: "how a spent plan shows", Of: strict.Object{Fields: []strict.Field{
				{Key: "signatures", Doc: "phrases, beside the built-in ones", Of: strict.Texts(&r.Signatures, 0, line())},
			}}},
			{Key: "prompt_delivery", Doc: "how the prompt reaches the program; default argv", Of: strict.Text(&r.Delivery, strict.Words("argv", "stdin", "workspace_file"))},
			{Key: "attachments", Doc: "how files reach the program", Of: strict.Object{Fields: []strict.Field{
				{Key: "flag", Doc: "the flag before each file", Of: strict.Text(&r.Flag, line())},
			}}},
			{Key: "capabilities", Doc: "what it can take", Of: strict.Object{Fields: []strict.Field{
				{Key: "vision", Doc: "pictures", Of: r.visionShape()},
			}}},
			{Key: "endpoint", Doc: "base address of a model server, for runner local", Of: strict.Text(&r.Endpoint, endpoint())},
			{Key: "api_key_env", Doc: "name, or names, of the variables that hold the vendor's own key", Of: strict.OneOrMany(&r.KeyEnv, 1, keyName())},
			{Key: "env", Doc: "plain settings for the program's environment, never a secret", Of: strict.Table(&r.Env, 0, settingName(), setting)},
			{Key: "sandbox", Doc: "who confines the program; default warden", Of: strict.Text(&r.Sandbox, strict.Words("warden", "vendor", "none"))},
			{Key: "home", Doc: "what of your home directory the program sees", Of: strict.Object{Fields: []strict.Field{
				{Key: "share", Doc: "paths relative to your home directory", Of: strict.Texts(&r.Share, 0, sharePath())},
			}}},
			{Key: "verification", Doc: "how it was tried out; a profile without verified_on is never used", Of: r.verificationShape()},
			{Key: "notes", Doc: "anything for people", Of: strict.OneOrMany(&r.Notes, 0)},
		},
		Refused: map[string]string{"mcp": notYet},
	}
}

func (r *rawProfile) visionShape() strict.Object {
	return strict.Object{
		Got: &r.Vision,
		Fields: []strict.Field{
			{Key: "delivery", Required: true, Doc: "how pictures reach the program", Of: strict.Text(&r.VisionBy, strict.Words("cli_attachment", "workspace_file"))},
			{Key: "verification", Required: true, Doc: "always required", Of: strict.Text(&r.VisionProof, strict.Words("required"))},
			{Key: "acquires", Doc: "whether it takes pictures by tools of its own; default false", Of: strict.Bool(&r.Acquires)},
		},
	}
}

func (r *rawProfile) verificationShape() strict.Object {
	return strict.Object{Fields: []strict.Field{
		{Key: "verified_on", Doc: "the day on which the probe passed", Of: strict.Text(&r.VerifiedOn, line())},
		{Key: "status", Doc: "what was found", Of: strict.Text(&r.Status)},
		{Key: "probe", Doc: "shell line that tries the profile; with runner local the question that its server is asked", Of: strict.Text(&r.Probe)},
		{Key: "expect", Doc: "text that the probe must print", Of: strict.Text(&r.Expect)},
		{Key: "what_to_check", Doc: "what a person looks at in the transcript", Of: strict.Texts(&r.WhatToCheck, 0)},
		{Key: "note", Doc: "anything for people", Of: strict.Text(&r.VerifyNote)},
	}}
}
