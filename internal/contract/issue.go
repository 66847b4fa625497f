package contract

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/tolboy/warden/internal/strict"
)

// IssueBlock is what the fenced block of an issue says. It holds names and
// words, never a command: whoever writes an issue does not say what is run.
type IssueBlock struct {
	Present   bool
	Scope     []string // names of declared scopes
	Risk      string
	Checks    []string // names of declared sets
	Scenarios []string
	NonGoals  []string

	scopeAt, checksAt strict.At
}

// Bounds of an issue block.
const (
	maxBlockItems = 20
	maxBlockText  = 500 // characters
)

const issueFile = "issue"

type rawBlock struct {
	scope, checks       strict.Choice
	risk                strict.Value[string]
	scenarios, nonGoals strict.Value[[]strict.Value[string]]
}

func (r *rawBlock) shape() strict.Object {
	return strict.Object{
		Fields: []strict.Field{
			{Key: "scope", Of: strict.OneOrMany(&r.scope, 1, name())},
			{Key: "risk", Of: strict.Text(&r.risk, strict.Words(risks()...))},
			{Key: "checks", Of: strict.OneOrMany(&r.checks, 1, name())},
			{Key: "scenarios", Of: strict.Texts(&r.scenarios, 1, line(maxBlockText))},
			{Key: "non_goals", Of: strict.Texts(&r.nonGoals, 1, line(maxBlockText))},
		},
		Refused: map[string]string{
			"acceptance": "an issue names declared sets of checks; a command is declared in .warden/project.yaml",
			"goal":       "the goal is the title and the text of the issue",
			"authority":  "an issue cannot widen what the work may do",
			"budgets":    "an issue cannot set what the work may spend",
		},
	}
}

// ParseIssueBlock reads the block fenced as "warden" in the text of an issue.
// Text in quotes, in other fences and in HTML comments is not looked at. No
// block is not a fault; two blocks, or one that does not end, are. Lines of
// faults count from the first line of the text.
func ParseIssueBlock(body string) (IssueBlock, strict.Faults) {
	blocks, unclosed := findBlocks(body)
	src := strict.Source{File: issueFile}
	switch {
	case len(blocks) == 0:
		return IssueBlock{}, nil
	case len(blocks) > 1:
		return IssueBlock{Present: true}, strict.Faults{src.Fault(strict.At{Line: blocks[1].open}, "a second warden block begins here", "keep one")}
	case unclosed:
		return IssueBlock{Present: true}, strict.Faults{src.Fault(strict.At{Line: blocks[0].open}, "the warden block does not end", "close it with the fence it began with")}
	}
	src.Before = blocks[0].open
	var raw rawBlock
	faults := strict.Read(src, []byte(blocks[0].text), raw.shape())
	for _, l := range []strict.Value[[]strict.Value[string]]{raw.scenarios, raw.nonGoals,
		{V: raw.scope.V, At: raw.scope.At}, {V: raw.checks.V, At: raw.checks.At}} {
		if len(l.V) > maxBlockItems {
			faults = append(faults, src.Fault(l.At, fmt.Sprintf("the list has %d entries, the limit is %d", len(l.V), maxBlockItems), ""))
		}
	}
	for _, s := range raw.scenarios.V {
		if s.Set {
			faults = append(faults, scenarioFaults(src, s.At, s.V)...)
		}
	}
	b := IssueBlock{
		Present: true, Scope: strict.Strings(raw.scope.V), Risk: raw.risk.V, Checks: strict.Strings(raw.checks.V),
		Scenarios: strict.Strings(raw.scenarios.V), NonGoals: strict.Strings(raw.nonGoals.V),
		scopeAt: raw.scope.At, checksAt: raw.checks.At,
	}
	b.scopeAt.Line += src.Before
	b.checksAt.Line += src.Before
	if len(faults) > 0 {
		return IssueBlock{Present: true}, faults
	}
	return b, nil
}

// Check returns a fault for every name of the block that the project does not
// declare.
func (b IssueBlock) Check(p Project) strict.Faults {
	var faults strict.Faults
	unknown := func(at strict.At, what string, names, declared []string) {
		for _, n := range names {
			if !slices.Contains(declared, n) {
				faults = append(faults, strict.Source{File: issueFile}.Fault(strict.At{Line: max(at.Line, 1), Key: at.Key},
					fmt.Sprintf("the project declares no %s named %q", what, n), strict.Suggest(n, declared)))
			}
		}
	}
	unknown(b.scopeAt, "scope", b.Scope, p.scopeNames())
	unknown(b.checksAt, "set of checks", b.Checks, p.checkNames())
	return faults
}

// IssueGoal is the goal of a task drafted from an issue: the title, an empty
// line, and the text without its warden block. Every other byte is kept.
func IssueGoal(title, body string) string {
	blocks, _ := findBlocks(body)
	for _, b := range slices.Backward(blocks) {
		body = body[:b.from] + body[b.to:]
	}
	switch {
	case strings.TrimSpace(body) == "":
		return title
	case strings.TrimSpace(title) == "":
		return body
	}
	return title + "\n\n" + body
}

// block is one fenced block: where it opens, its text, and its byte range.
type block struct {
	open     int // line of the opening fence, from 1
	text     string
	from, to int
}

var (
	fenceForm   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^ {0,3}(`{3,}|~{3,})[ \t]*([^\r\n]*?)[ \t]*$") })
	commentForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^ {0,3}<!--`) })
)

// findBlocks walks the lines of a Markdown text and keeps the fences that are
// marked "warden". unclosed says that the last of them does not end.
func findBlocks(body string) (blocks []block, unclosed bool) {
	var fence string // the fence we are in, or ""
	var mine, hidden bool
	var cur block
	at := 0
	for n, whole := range strings.SplitAfter(body, "\n") {
		start := at
		at += len(whole)
		s := strings.TrimRight(whole, "\r\n")
		m := fenceForm().FindStringSubmatch(s)
		switch {
		case fence != "":
			if m != nil && m[2] == "" && m[1][0] == fence[0] && len(m[1]) >= len(fence) {
				if mine {
					cur.to = at
					blocks = append(blocks, cur)
				}
				fence, mine = "", false
			} else if mine {
				cur.text += whole
			}
		case hidden:
			hidden = !strings.Contains(s, "-->")
		case commentForm().MatchString(s):
			hidden = !strings.Contains(s, "-->")
		case m != nil && !(m[1][0] == '`' && strings.Contains(m[2], "`")):
			fence = m[1]
			word, _, _ := strings.Cut(m[2], " ")
			if mine = strings.EqualFold(word, "warden"); mine {
				cur = block{open: n + 1, from: start}
			}
		}
	}
	if mine {
		cur.to = len(body)
		return append(blocks, cur), true
	}
	return blocks, false
}
