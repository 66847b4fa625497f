package forgetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// selection is one field of a GraphQL document, or an inline fragment when on
// is set.
type selection struct {
	name, alias string
	on          string
	args        map[string]any
	fields      []selection
}

// document is one operation.
type document struct {
	kind   string // query or mutation
	fields []selection
}

var queryToken = regexp.MustCompile(`\.\.\.|[_A-Za-z][_0-9A-Za-z]*|-?\d+|"(?:[^"\\\n]|\\.)*"|[!$():=@\[\]{}|]`)

type queryParser struct {
	tokens    []string
	variables map[string]any
	declared  []string
	depth     int
}

const maxQueryDepth = 20

// parseQuery reads the part of GraphQL that a client of ours may use: one
// operation, variables, aliases and inline fragments.
func parseQuery(text string, variables map[string]any) (document, error) {
	p := &queryParser{tokens: queryToken.FindAllString(text, -1), variables: variables}
	doc := document{kind: "query"}
	if p.peek() == "query" || p.peek() == "mutation" {
		doc.kind = p.next()
		if p.peek() != "(" && p.peek() != "{" {
			p.next() // the operation's name
		}
		if p.peek() == "(" {
			if err := p.declarations(); err != nil {
				return doc, err
			}
		}
	}
	var err error
	doc.fields, err = p.selections()
	if err == nil && p.peek() != "" {
		err = fmt.Errorf("parse query: %q after the end", p.peek())
	}
	for name := range variables {
		if err == nil && !slices.Contains(p.declared, name) {
			err = fmt.Errorf("parse query: variable $%s is not declared", name)
		}
	}
	return doc, err
}

func (p *queryParser) peek() string {
	if len(p.tokens) == 0 {
		return ""
	}
	return p.tokens[0]
}

func (p *queryParser) next() string {
	t := p.peek()
	if len(p.tokens) > 0 {
		p.tokens = p.tokens[1:]
	}
	return t
}

func (p *queryParser) expect(want string) error {
	if got := p.next(); got != want {
		return fmt.Errorf("parse query: %q where %q belongs", got, want)
	}
	return nil
}

// declarations reads ($a: T!, $b: [T]) and checks that required ones are given.
func (p *queryParser) declarations() error {
	p.next()
	for p.peek() == "$" {
		p.next()
		name := p.next()
		if err := p.expect(":"); err != nil {
			return err
		}
		required := false
		for t := p.peek(); t != "$" && t != ")" && t != ""; t = p.peek() {
			required = p.next() == "!"
		}
		if required && p.variables[name] == nil {
			return fmt.Errorf("parse query: variable $%s is required", name)
		}
		p.declared = append(p.declared, name)
	}
	return p.expect(")")
}

func (p *queryParser) selections() ([]selection, error) {
	if p.depth++; p.depth > maxQueryDepth {
		return nil, errors.New("parse query: nested too deeply")
	}
	defer func() { p.depth-- }()
	if err := p.expect("{"); err != nil {
		return nil, err
	}
	var out []selection
	for p.peek() != "}" {
		s, err := p.selection()
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	p.next()
	if len(out) == 0 {
		return nil, errors.New("parse query: an empty selection")
	}
	return out, nil
}

func (p *queryParser) selection() (s selection, err error) {
	if p.peek() == "..." {
		p.next()
		if err := p.expect("on"); err != nil {
			return s, err
		}
		s.on = p.next()
		s.fields, err = p.selections()
		return s, err
	}
	s.name = p.next()
	if s.name == "" || !strings.ContainsAny(s.name[:1], "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
		return s, fmt.Errorf("parse query: %q is no field", s.name)
	}
	s.alias = s.name
	if p.peek() == ":" {
		p.next()
		s.name = p.next()
	}
	if p.peek() == "(" {
		p.next()
		if s.args, err = p.pairs(")"); err != nil {
			return s, err
		}
	}
	if p.peek() == "{" {
		s.fields, err = p.selections()
	}
	return s, err
}

func (p *queryParser) pairs(end string) (map[string]any, error) {
	out := map[string]any{}
	for p.peek() != end {
		name := p.next()
		if err := p.expect(":"); err != nil {
			return nil, err
		}
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		out[name] = v
	}
	p.next()
	return out, nil
}

func (p *queryParser) value() (any, error) {
	if p.depth++; p.depth > maxQueryDepth {
		return nil, errors.New("parse query: nested too deeply")
	}
	defer func() { p.depth-- }()
	switch t := p.next(); t {
	case "$":
		name := p.next()
		if !slices.Contains(p.declared, name) {
			return nil, fmt.Errorf("parse query: variable $%s is not declared", name)
		}
		return p.variables[name], nil
	case "{":
		return p.pairs("}")
	default:
		var v any
		if err := json.Unmarshal([]byte(t), &v); err != nil {
			return nil, fmt.Errorf("parse query: %q is no value", t)
		}
		return v, nil
	}
}
