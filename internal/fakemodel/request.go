package fakemodel

import (
	"encoding/json"
	"net/http"
	"strings"
)

// parse reads what a test and a script need of a request.
func parse(h *http.Request, body []byte) Request {
	r := Request{API: "other", Method: h.Method, Path: h.URL.Path, Header: h.Header.Clone(), Body: body}
	if h.Method != http.MethodPost {
		return r
	}
	switch {
	case strings.HasSuffix(h.URL.Path, "/responses"):
		r.API = "responses"
	case strings.HasSuffix(h.URL.Path, "/chat/completions"):
		r.API = "chat"
	case strings.HasSuffix(h.URL.Path, "/messages"):
		r.API = "messages"
	case strings.HasSuffix(h.URL.Path, ":streamGenerateContent"):
		r.API, r.Stream = "gemini", true
	case strings.HasSuffix(h.URL.Path, ":generateContent"):
		r.API = "gemini"
	default:
		return r
	}
	var b struct {
		Model    string           `json:"model"`
		Stream   bool             `json:"stream"`
		Tools    []map[string]any `json:"tools"`
		Messages []map[string]any `json:"messages"`
		Contents []map[string]any `json:"contents"`
		Input    json.RawMessage  `json:"input"`
	}
	if json.Unmarshal(body, &b) != nil {
		return r
	}
	r.Model, r.Stream = b.Model, r.Stream || b.Stream
	var input []map[string]any
	if json.Unmarshal(b.Input, &input) != nil {
		var text string
		if json.Unmarshal(b.Input, &text) == nil {
			r.Prompt = text
		}
	}
	if _, rest, ok := strings.Cut(h.URL.Path, "/models/"); ok {
		r.Model, _, _ = strings.Cut(rest, ":")
	}
	r.Tools = toolNames(b.Tools)
	var said []string
	for _, m := range append(append(b.Messages, b.Contents...), input...) {
		r.Results += results(m)
		if role, _ := m["role"].(string); role == "user" {
			said = append(said, texts(m)...)
		}
	}
	r.Prompt += strings.Join(said, "\n")
	return r
}

// toolNames reads the names on offer in any of the four formats.
func toolNames(tools []map[string]any) []string {
	var names []string
	for _, t := range tools {
		if name, ok := t["name"].(string); ok {
			names = append(names, name)
		}
		if f, ok := t["function"].(map[string]any); ok {
			if name, ok := f["name"].(string); ok {
				names = append(names, name)
			}
		}
		list, _ := t["functionDeclarations"].([]any)
		for _, item := range list {
			if f, ok := item.(map[string]any); ok {
				if name, ok := f["name"].(string); ok {
					names = append(names, name)
				}
			}
		}
	}
	return names
}

// results counts the tool results in one entry of a conversation.
func results(m map[string]any) int {
	n := 0
	switch m["type"] {
	case "function_call_output", "custom_tool_call_output":
		n++
	}
	if m["role"] == "tool" {
		n++
	}
	for _, key := range []string{"content", "parts"} {
		list, _ := m[key].([]any)
		for _, item := range list {
			part, _ := item.(map[string]any)
			if part["type"] == "tool_result" || part["functionResponse"] != nil {
				n++
			}
		}
	}
	return n
}

// texts reads the texts of one entry.
func texts(m map[string]any) []string {
	var out []string
	if s, ok := m["content"].(string); ok {
		out = append(out, s)
	}
	for _, key := range []string{"content", "parts"} {
		list, _ := m[key].([]any)
		for _, item := range list {
			part, _ := item.(map[string]any)
			if s, ok := part["text"].(string); ok {
				out = append(out, s)
			}
		}
	}
	return out
}

// answer is one turn in the words of the tools that the CLI offers.
type answer struct {
	text   string
	tool   string
	args   map[string]any
	custom string // free-form input of a custom tool
}

func (r Request) offers(name string) bool {
	for _, t := range r.Tools {
		if t == name {
			return true
		}
	}
	return false
}

// answer turns a scripted turn into a tool call. A CLI that offers no fitting
// tool is told so in the text, which no test takes for success.
func (r Request) answer(t Turn) answer {
	if t.Edit != nil {
		return r.edit(*t.Edit)
	}
	if t.Read != "" {
		return r.read(t.Read)
	}
	if t.Shell != "" {
		return r.shell(t.Shell)
	}
	return answer{text: t.Text}
}

func (r Request) edit(e Edit) answer {
	switch {
	case r.offers("apply_patch"):
		patch := "*** Begin Patch\n*** Add File: " + e.Path + "\n"
		for _, line := range strings.Split(strings.TrimSuffix(e.Content, "\n"), "\n") {
			patch += "+" + line + "\n"
		}
		return answer{tool: "apply_patch", custom: patch + "*** End Patch"}
	case r.offers("write"):
		return answer{tool: "write", args: map[string]any{"filePath": e.Path, "content": e.Content}}
	case r.offers("write_file"):
		return answer{tool: "write_file", args: map[string]any{"file_path": e.Path, "content": e.Content}}
	case r.offers("Write"):
		return answer{tool: "Write", args: map[string]any{"file_path": e.Path, "content": e.Content}}
	}
	return r.shell("cat > " + quote(e.Path) + " <<'END_OF_FILE'\n" + strings.TrimSuffix(e.Content, "\n") + "\nEND_OF_FILE")
}

// read asks for a file by the tool that can also open a picture.
func (r Request) read(path string) answer {
	switch {
	case r.offers("view_image"):
		return answer{tool: "view_image", args: map[string]any{"path": path}}
	case r.offers("read"):
		return answer{tool: "read", args: map[string]any{"filePath": path}}
	case r.offers("read_file"):
		return answer{tool: "read_file", args: map[string]any{"file_path": path}}
	case r.offers("Read"):
		return answer{tool: "Read", args: map[string]any{"file_path": path}}
	}
	return answer{text: "no tool for reading is on offer: " + strings.Join(r.Tools, " ")}
}

func (r Request) shell(command string) answer {
	switch {
	case r.offers("exec_command"):
		return answer{tool: "exec_command", args: map[string]any{"cmd": command}}
	case r.offers("shell_command"):
		return answer{tool: "shell_command", args: map[string]any{"command": command}}
	case r.offers("shell"):
		return answer{tool: "shell", args: map[string]any{"command": []string{"bash", "-c", command}}}
	case r.offers("bash"):
		return answer{tool: "bash", args: map[string]any{"command": command, "description": "run a command"}}
	case r.offers("run_shell_command"):
		return answer{tool: "run_shell_command", args: map[string]any{"command": command, "description": "run a command"}}
	case r.offers("Bash"):
		return answer{tool: "Bash", args: map[string]any{"command": command, "description": "run a command"}}
	}
	return answer{text: "no tool for this is on offer: " + strings.Join(r.Tools, " ")}
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
