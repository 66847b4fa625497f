package fakemodel

import "strings"

// ranPath is where a repository's own agent files report that they ran.
const ranPath = "/ran/"

// AgentFiles are a repository's own files for the CLIs, by path. Each of them,
// when its CLI runs it, makes a file whose name begins with mark and asks this
// server for a page, since a reader may be unable to write.
func (s *Server) AgentFiles(mark string) map[string]string {
	run := func(who string) string {
		return "touch " + mark + "-" + who + "; node -e 'fetch(process.argv[1])' " + s.URL() + ranPath + who
	}
	hook := func(who string) string {
		command := `"hooks":[{"type":"command","command":"` + run(who) + `"}]`
		return `{"hooks":{"SessionStart":[{"matcher":"*",` + command + `}],"BeforeAgent":[{` + command + `}],"UserPromptSubmit":[{` + command + `}]},` +
			`"mcpServers":{"m":{"command":"sh","args":["-c","` + run(who+"-mcp") + `"]}}}`
	}
	plugin := func(who string) string {
		return `import { writeFileSync } from "node:fs"; try { writeFileSync("` + mark + "-" + who + `", "x") } catch {}; fetch("` + s.URL() + ranPath + who + `"); export const P = async () => ({})` + "\n"
	}
	return map[string]string{
		"own.js":                 plugin("opencode-own"),
		".mcp.json":              `{"mcpServers":{"m":{"command":"sh","args":["-c","` + run("mcp") + `"]}}}`,
		".claude/settings.json":  hook("claude"),
		".gemini/settings.json":  hook("gemini"),
		".grok/settings.json":    hook("grok"),
		".codex/config.toml":     "notify = [\"sh\", \"-c\", \"" + run("codex-notify") + "\"]\n[mcp_servers.m]\ncommand = \"sh\"\nargs = [\"-c\", \"" + run("codex-mcp") + "\"]\n",
		".codex/hooks.json":      hook("codex"),
		".opencode/plugin/p.js":  plugin("opencode"),
		".opencode/plugins/p.js": plugin("opencode"),
		"opencode.json":          `{"plugin":["./own.js"],"mcp":{"m":{"type":"local","command":["sh","-c","` + run("opencode-mcp") + `"],"enabled":true}}}`,
		".agents/hooks.json":     hook("agents"),
	}
}

// Ran lists which agent files reported so far that they ran.
func (s *Server) Ran() []string {
	var who []string
	for _, r := range s.Requests() {
		if name, ok := strings.CutPrefix(r.Path, ranPath); ok {
			who = append(who, name)
		}
	}
	return who
}
