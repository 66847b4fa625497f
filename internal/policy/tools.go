package policy

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tolboy/warden/internal/strict"
)

// What a model may be given to work with.
const (
	ToolRead   = "read"   // open files
	ToolSearch = "search" // look for files and text
	ToolEdit   = "edit"   // write files
	ToolShell  = "shell"  // run commands
	ToolWeb    = "web"    // fetch from the network
)

// ToolKinds are the words of tools.allow, in the order in which they are written.
func ToolKinds() []string { return []string{ToolRead, ToolSearch, ToolEdit, ToolShell, ToolWeb} }

// Who keeps a model to its tools.
const (
	ToolsByVendor = "vendor"  // its program is told, and offers no others
	ToolsAsked    = "request" // the prompt asks for it, and nothing enforces it
)

// Tools are the kinds of tools that a profile allows. Argument is how its program
// is told, for {{tools}}; EnforcedBy is empty when the profile allows whatever
// its program offers.
type Tools struct {
	Allow      []string
	Argument   string
	EnforcedBy string
}

// renderings are, by program, how it is told which tools to offer. Each was seen
// to hold: what is left out is not offered to the model, or refused.
var renderings = map[string]func(allow []string) (argument, fault string){
	"claude":   listed(map[string]string{ToolRead: "Read", ToolSearch: "Grep,Glob", ToolEdit: "Edit,Write", ToolShell: "Bash", ToolWeb: "WebFetch,WebSearch"}),
	"grok":     listed(map[string]string{ToolRead: "read_file,list_dir", ToolSearch: "grep", ToolEdit: "search_replace"}),
	"codex":    moded(map[string]string{"read search shell": "read-only", "read search edit shell": "workspace-write"}),
	"gemini":   moded(map[string]string{"read search": "plan", "read search edit": "auto_edit", "read search edit shell": "yolo"}),
	"opencode": withheld,
}

// listed names every tool that is offered.
func listed(names map[string]string) func([]string) (string, string) {
	return func(allow []string) (string, string) {
		var out []string
		for _, kind := range allow {
			if names[kind] == "" {
				return "", fmt.Sprintf("it is not known how this program is told to offer %q", kind)
			}
			out = append(out, names[kind])
		}
		return strings.Join(out, ","), ""
	}
}

// moded knows a few sets, each by a word.
func moded(modes map[string]string) func([]string) (string, string) {
	return func(allow []string) (string, string) {
		if word := modes[strings.Join(allow, " ")]; word != "" {
			return word, ""
		}
		var sets []string
		for set := range modes {
			sets = append(sets, "["+strings.ReplaceAll(set, " ", ", ")+"]")
		}
		slices.Sort(sets)
		return "", "this program can be told only " + strings.Join(sets, " or ")
	}
}

// withheld names what is refused, as opencode's permissions do.
func withheld(allow []string) (string, string) {
	if !slices.Contains(allow, ToolRead) || !slices.Contains(allow, ToolSearch) {
		return "", "this program always reads and searches"
	}
	type rules struct {
		Edit  string `json:"edit"`
		Shell string `json:"bash"`
		Web   string `json:"webfetch"`
	}
	rule := func(kind string) string {
		if slices.Contains(allow, kind) {
			return "allow"
		}
		return "deny"
	}
	data, err := json.Marshal(rules{rule(ToolEdit), rule(ToolShell), rule(ToolWeb)})
	if err != nil {
		return "", err.Error()
	}
	return string(data), ""
}

// ToolsOf says what a profile allows and who enforces it. The fault says why its
// program cannot be told, where {{tools}} asks for that.
func ToolsOf(p Profile) (tools Tools, fault string) {
	if len(p.ToolsAllow) == 0 {
		return Tools{}, ""
	}
	tools = Tools{Allow: p.ToolsAllow, EnforcedBy: ToolsAsked}
	if !names(append(slices.Clone(p.Args), values(p.Env)...), "tools") {
		return tools, ""
	}
	program := strings.TrimSuffix(strings.ToLower(filepath.Base(p.Command)), ".exe")
	render, known := renderings[program]
	if !known {
		return tools, fmt.Sprintf("it is not known how the program %q is told which tools to offer", program)
	}
	tools.Argument, fault = render(p.ToolsAllow)
	if fault == "" {
		tools.EnforcedBy = ToolsByVendor
	}
	return tools, fault
}

// tools holds what a profile allows against its role and its program.
func (c *profileCheck) tools(p Profile) {
	r := c.raw
	used := names(append(strict.Strings(r.Args.V), values(p.Env)...), "tools")
	switch {
	case c.bad("tools") || c.bad("command"):
	case len(r.Tools.V) == 0:
		if used {
			c.report(strict.At{Line: r.Args.At.Line, Key: "tools.allow"}, "{{tools}} is used, and no tools are allowed", "set tools.allow, or remove the placeholder")
		}
	case p.Runner == "local":
		c.report(r.Tools.At, "runner local has no tools", "remove the key")
	case p.ReadOnly && slices.Contains(p.ToolsAllow, ToolEdit):
		c.report(r.Tools.At, "a read-only profile has no use for edit", "remove it, or set read_only: false")
	default:
		if _, fault := ToolsOf(p); fault != "" {
			c.report(r.Tools.At, fault, "change tools.allow, or take {{tools}} out: then the prompt asks for it and nothing enforces it")
		}
	}
}

// inOrder sorts kinds of tools as ToolKinds has them.
func inOrder(kinds []string) []string {
	var out []string
	for _, kind := range ToolKinds() {
		if slices.Contains(kinds, kind) {
			out = append(out, kind)
		}
	}
	return out
}
