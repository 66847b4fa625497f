package role

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/schema"
)

// judged is what an artifact came to.
type judged struct {
	code     outcome.Code
	detail   string
	artifact json.RawMessage
	verdict  string
	summary  string
	findings []outcome.Finding
	missing  []string
	received []string
	errors   []schema.Violation
}

// accept holds an artifact against what the role owes. The ids that Warden knows
// better than the model are filled in where they are absent, never replaced.
func accept(raw json.RawMessage, req Request, required []string, check *schema.Schema) judged {
	var o map[string]json.RawMessage
	if err := json.Unmarshal(raw, &o); err != nil || o == nil {
		return judged{code: outcome.RoleArtifactUnparseable, detail: "the answer is not a JSON object"}
	}
	for key, value := range map[string]string{"role": req.Role, "task_id": req.Task.ID, "run_id": req.RunID} {
		if _, there := o[key]; !there {
			quoted, err := json.Marshal(value)
			if err != nil {
				return judged{code: outcome.RoleArtifactUnparseable, detail: "encode " + key + ": " + err.Error()}
			}
			o[key] = quoted
		}
	}
	j := judged{received: sortedKeys(o)}
	for _, field := range required {
		if v, there := o[field]; !there || bytes.Equal(bytes.TrimSpace(v), []byte("null")) {
			j.missing = append(j.missing, field)
		}
	}
	if len(j.missing) > 0 {
		j.code = outcome.RoleArtifactIncomplete
		j.detail = "the answer lacks " + strings.Join(j.missing, ", ")
		return j
	}
	if role := text(o, "role"); role != req.Role {
		j.code = outcome.RoleArtifactSchema
		j.detail = fmt.Sprintf("the answer is of role %q, asked was %q", clip(role, 40), req.Role)
		return j
	}
	full, err := encode(o)
	if err != nil {
		return judged{code: outcome.RoleArtifactUnparseable, detail: "encode the answer: " + err.Error()}
	}
	if check != nil {
		if j.errors = check.Validate(full); len(j.errors) > 0 {
			j.code = outcome.RoleArtifactSchema
			j.detail = fmt.Sprintf("the answer does not fit its schema: %s: %s", j.errors[0].Pointer, j.errors[0].Message)
			return j
		}
	}
	j.artifact, j.verdict, j.summary = full, text(o, "verdict"), text(o, "summary")
	j.findings, err = Findings(req.Role, o["findings"])
	if err != nil {
		return judged{code: outcome.RoleArtifactSchema, detail: err.Error(), received: j.received}
	}
	j.code, j.detail = statusCode(text(o, "status"), j.summary)
	return j
}

// statusCode reads what the role says of its own work. Only completed counts:
// green checks do not overrule an agent that says it is blocked.
func statusCode(status, summary string) (outcome.Code, string) {
	said := clip(summary, 2000)
	switch strings.ToLower(status) {
	case "completed":
		return outcome.OK, ""
	case "blocked":
		return outcome.RoleReportedBlocked, "the role reports that it is blocked: " + said
	case "aborted", "failed", "cancelled", "canceled":
		return outcome.RoleReportedAborted, fmt.Sprintf("the role reports status %s: %s", strings.ToLower(status), said)
	case "":
		return outcome.RoleArtifactIncomplete, "the answer lacks a status"
	}
	return outcome.RoleArtifactIncomplete, fmt.Sprintf("the answer's status %q is none that exists", clip(status, 40))
}

func text(o map[string]json.RawMessage, key string) string {
	var s string
	if json.Unmarshal(o[key], &s) != nil {
		return ""
	}
	return s
}

func encode(o map[string]json.RawMessage) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(o); err != nil {
		return nil, err
	}
	return json.RawMessage(bytes.TrimSpace(b.Bytes())), nil
}
