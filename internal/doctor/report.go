// Package doctor says what would be refused here, and why, before anyone pays
// for finding out. It changes nothing and calls no vendor and no forge.
package doctor

import "github.com/tolboy/warden/internal/sandbox"

// Report is what an examination found. OK says that the examined place is sound:
// git answers, it is a repository with a project contract that loads, and the
// operator's policy is absent or can be read. Whether anybody could be called is
// RoleExecutionReady; everything that is missing is in Problems.
type Report struct {
	OK                     bool             `json:"ok"`
	Problems               []Trouble        `json:"problems"`
	WardenVersion          string           `json:"warden_version"`
	ArgumentEncoding       ArgumentEncoding `json:"argument_encoding"`
	Git                    Git              `json:"git"`
	ProjectConfigFound     bool             `json:"project_config_found"`
	Project                Project          `json:"project"`
	MachineGatesReady      bool             `json:"machine_gates_ready"`
	Sandbox                Sandbox          `json:"sandbox"`
	Browser                Browser          `json:"browser"`
	Orca                   Orca             `json:"orca"`
	UserConfig             UserConfig       `json:"user_config"`
	Workflow               Workflow         `json:"workflow"`
	RoleExecutionReady     bool             `json:"role_execution_ready"`
	RoleExecutionBlockedBy []Block          `json:"role_execution_blocked_by"`
	DirectCLIReady         bool             `json:"direct_cli_ready"`
	OrcaAdapter            string           `json:"orca_adapter"`
	Limits                 []string         `json:"limits"` // warnings about limits that end each other
	Forge                  *Forge           `json:"forge,omitempty"`
	Note                   string           `json:"note"`
}

// ArgumentEncoding says whether a goal survives the command line.
type ArgumentEncoding struct {
	NonASCIISafe bool   `json:"non_ascii_arguments_safe"`
	Locale       string `json:"locale"`
	Message      string `json:"message"`
}

// Git says whether git answers.
type Git struct {
	OK      bool   `json:"ok"`
	Version string `json:"version,omitempty"`
	Message string `json:"message,omitempty"`
}

// Project is the contract that was found.
type Project struct {
	Root    string `json:"root,omitempty"`
	Name    string `json:"name,omitempty"`
	Problem string `json:"problem,omitempty"`
}

// Browser is what pages would be looked at with. Only a task that requires
// visual_qa needs one.
type Browser struct {
	Path    string `json:"path,omitempty"`
	Message string `json:"message,omitempty"` // why there is none
	// Network is the one that it shares with a preview whose task grants none:
	// "loopback", "host" where nothing confines either, or "" with the reason.
	Network        string `json:"network,omitempty"`
	NetworkMessage string `json:"network_message,omitempty"`
}

// Sandbox is what children are confined by, and whether that is enough here.
type Sandbox struct {
	sandbox.Report
	Required bool   `json:"required"`
	OK       bool   `json:"ok"`
	Message  string `json:"message,omitempty"`
	// NotHeld are the properties that are not held here, each as it would read of a
	// child.
	NotHeld []string `json:"not_held"`
	inside  error    // its program is only where work is done
}

// Orca says that the Orca adapter is not part of this version.
type Orca struct {
	Supported bool `json:"supported"`
}

// UserConfig is the operator's home.
type UserConfig struct {
	Home               string            `json:"home"`
	PolicyPresent      bool              `json:"policy_present"`
	ProfilesLoaded     int               `json:"profiles_loaded"`
	VerifiedProfiles   []string          `json:"verified_profiles"`
	UnverifiedProfiles []Unverified      `json:"unverified_profiles"`
	Problems           map[string]string `json:"problems"`
	Dangling           []string          `json:"dangling_policy_references"`
	MissingKeys        []string          `json:"missing_key_variables"` // "profile: VARIABLE", names only
	ToolsUnenforced    []string          `json:"tools_only_asked_for"`  // profiles whose program is not told which tools to offer
}

// Unverified is a profile that is never chosen, and the command that changes that.
type Unverified struct {
	Profile    string `json:"profile"`
	VerifyWith string `json:"verify_with"`
}

// Workflow is the chain that would run.
type Workflow struct {
	Declared bool     `json:"declared"`
	Stages   []string `json:"stages"`
}

// Block is why a stage could not run.
type Block struct {
	Stage  string   `json:"stage"`
	Role   string   `json:"role,omitempty"`
	Code   string   `json:"code"`
	Detail []string `json:"detail,omitempty"`
	Next   string   `json:"next,omitempty"`
}

// Forge is what is known about the forge without asking it.
type Forge struct {
	Assumed       string   `json:"assumed"`
	Because       string   `json:"because"`
	Repository    string   `json:"repository,omitempty"`
	API           string   `json:"api,omitempty"`
	TokenPresent  bool     `json:"token_present"`
	TokenVariable string   `json:"token_variable,omitempty"`
	LookedIn      []string `json:"looked_in"`
	Permissions   []string `json:"permissions_needed"`
	Hints         []Hint   `json:"hints"`
	Next          string   `json:"next,omitempty"`
}
