package role

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/workflow"
)

// Bounds of what one artifact may object to.
const (
	maxFindings   = 500
	maxFindingID  = 80
	maxReferences = 20  // of one finding
	maxReference  = 300 // bytes
	maxProposed   = 20  // commands, and paths, of one finding
	maxProposal   = 2000
)

// Findings decodes the objections of a role's artifact. A missing severity is P3; one
// that is given and unknown is P1, since it cannot be told what was meant. A
// missing id is derived from path and message, so that the same objection keeps
// its name over rounds.
func Findings(role string, raw json.RawMessage) ([]outcome.Finding, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var items []map[string]json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return nil, errors.New("the answer's findings are not a list of objects")
	}
	if len(items) > maxFindings {
		return nil, fmt.Errorf("the answer has %d findings, more than the %d that are read", len(items), maxFindings)
	}
	var out []outcome.Finding
	for _, o := range items {
		f := outcome.Finding{
			ID: text(o, "id"), Severity: severity(text(o, "severity")), Category: category(role, text(o, "category")), Field: text(o, "field"),
			Path: text(o, "path"), Line: lineNumber(o["line"]), Message: text(o, "message"),
			Expected: text(o, "expected"), Actual: text(o, "actual"), Scenario: text(o, "scenario"), Viewport: text(o, "viewport"),
			Suggestion: text(o, "suggestion"), Confidence: text(o, "confidence"), EvidenceRefs: references(o["evidence_refs"]),
			Supersedes: references(o["supersedes"]), ScopeRelation: relation(text(o, "scope_relation")),
		}
		if f.Category == outcome.ContractGap {
			f.ProposedAcceptance, f.ProposedScope = proposed(o["proposed_acceptance"]), proposed(o["proposed_scope"])
		}
		if f.ID = strings.TrimSpace(f.ID); f.ID == "" || utf8.RuneCountInString(f.ID) > maxFindingID {
			f.ID = derivedID(f.Path+f.Field, f.Message)
		}
		out = append(out, f)
	}
	return out, nil
}

// references reads what a finding names as its evidence. What is no list of texts
// names nothing.
func references(raw json.RawMessage) []string {
	var refs []string
	if json.Unmarshal(raw, &refs) != nil {
		return nil
	}
	var out []string
	for _, r := range refs {
		if r = clip(strings.TrimSpace(r), maxReference); r != "" && !slices.Contains(out, r) && len(out) < maxReferences {
			out = append(out, r)
		}
	}
	return out
}

// proposed reads what a finding would have added to the contract, as it was written.
// What cannot be taken whole is left out, since a command that is cut is another one.
func proposed(raw json.RawMessage) []string {
	var lines []string
	if json.Unmarshal(raw, &lines) != nil || len(lines) > maxProposed {
		return nil
	}
	var out []string
	for _, l := range lines {
		if len(l) > maxProposal || !utf8.ValidString(l) {
			return nil
		}
		if l = strings.TrimSpace(l); l != "" && !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out
}

// relation reads how a finding relates to the scope. Another word, or none, is in
// scope: then it is the writer's to mend.
func relation(s string) string {
	if s != outcome.InScope && slices.Contains(outcome.ScopeRelations(), s) {
		return s
	}
	return ""
}

func severity(s string) outcome.Severity {
	switch strings.ToUpper(strings.TrimSpace(s)) {
	case "", "P3":
		return outcome.P3
	case "P2":
		return outcome.P2
	}
	return outcome.P1
}

func category(role, s string) string {
	if role == workflow.PlanReviewer {
		if slices.Contains(outcome.PlanCategories(), s) {
			return s
		}
		return outcome.PlanOther
	}
	if slices.Contains(outcome.Categories(), s) {
		return s
	}
	return outcome.ProductDefect
}

// lineNumber reads a line; what is not a positive integer is no line.
func lineNumber(raw json.RawMessage) int {
	var n int
	if json.Unmarshal(raw, &n) != nil || n < 0 {
		return 0
	}
	return n
}

// derivedID names an objection by what it is about.
func derivedID(path, message string) string {
	words := strings.Join(strings.Fields(strings.ToLower(message)), " ")
	words = strings.TrimRight(words, ".,;:!? ")
	sum := sha256.Sum256([]byte(path + "\x00" + words))
	return "f-" + hex.EncodeToString(sum[:])[:12]
}

func sortedKeys(o map[string]json.RawMessage) []string {
	keys := make([]string, 0, len(o))
	for k := range o {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// clip shortens a text to n bytes without splitting a character.
func clip(s string, n int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
