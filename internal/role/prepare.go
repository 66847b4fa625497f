package role

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/schema"
	"github.com/tolboy/warden/internal/vendor"
)

// prepared is a call that is ready to be paid for.
type prepared struct {
	call     vendor.Call
	prompt   ledger.File
	evidence string // "implementer", then "implementer.attempt-2"
	schema   *schema.Schema
	argv     []string
}

// prepare renders and writes the prompt and checks that the call can be
// delivered, all before anybody pays. Nil means that the dispatch has stopped.
func (s *dispatch) prepare(ctx context.Context, p policy.Profile) (*prepared, error) {
	prep := &prepared{evidence: s.req.Role}
	if n := len(s.record.Calls); n > 0 {
		prep.evidence = fmt.Sprintf("%s.attempt-%d", s.req.Role, n+1)
	}
	if p.PromptTemplate == "" {
		s.stop(outcome.RolePromptUndeliverable, fmt.Sprintf("profile %q has no prompt_template", p.Name))
		return nil, nil
	}
	template, err := s.Home.ReadFile(p.PromptTemplate)
	if err != nil {
		s.stop(outcome.RolePromptUndeliverable, err.Error())
		return nil, nil
	}
	compact, err := s.schemaOf(p, prep)
	if err != nil {
		s.stop(outcome.RolePromptUndeliverable, err.Error())
		return nil, nil
	}
	if err := CheckTemplate(p.PromptTemplate, string(template)); err != nil {
		s.stop(outcome.RolePromptUndeliverable, err.Error())
		return nil, nil
	}
	if err := s.lookBefore(ctx); err != nil {
		return nil, err
	}
	req := s.req
	if req.Changed == nil {
		req.Changed = s.before.SourcePaths()
	}
	text, backfilled, err := s.Dispatcher.prompt(ctx, req, p.PromptTemplate, string(template), compact)
	if err != nil {
		return nil, err
	}
	s.backfilled = backfilled
	if s.inherited && !p.ReadOnly {
		text = handover + text
		s.record.InheritedUnfinished = true
	}
	ok, err := s.ready(p, prep, text, compact)
	if err != nil || !ok {
		return nil, err
	}
	return prep, nil
}

// lookBefore takes the tree as it is before the next call: as the caller saw it,
// as the last call left it, or by looking.
func (s *dispatch) lookBefore(ctx context.Context) error {
	switch {
	case len(s.record.Calls) > 0:
		s.before = s.result.After
		return nil
	case s.req.Before != nil:
		s.before = *s.req.Before
	default:
		snap, err := s.look(ctx, "before")
		if err != nil {
			return err
		}
		s.before = snap
	}
	s.result.Before, s.result.After = s.before, s.before
	return nil
}

// schemaOf compiles the profile's schema and returns it in one line.
func (s *dispatch) schemaOf(p policy.Profile, prep *prepared) (string, error) {
	if p.SchemaPath == "" {
		return "", nil
	}
	raw, err := s.Home.ReadFile(p.SchemaPath)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return "", fmt.Errorf("schema %s: %w", p.SchemaPath, err)
	}
	if p.EnforceSchema {
		if prep.schema, err = schema.CompileBytes(p.SchemaPath, raw); err != nil {
			return "", fmt.Errorf("schema %s: %w", p.SchemaPath, err)
		}
	}
	return b.String(), nil
}

// ready writes what the vendor is given and builds the call. False means that the
// dispatch has stopped.
func (s *dispatch) ready(p policy.Profile, prep *prepared, text, compact string) (bool, error) {
	dir := s.req.EvidenceDir + "/prompts/"
	var err error
	if prep.prompt, err = s.write(dir+prep.evidence+".md", []byte(text)); err != nil {
		return false, err
	}
	s.record.Prompt, s.record.PromptSHA256 = prep.prompt.Path, prep.prompt.SHA256
	values := map[string]string{
		"schema_json": compact, "schema_file": "", "repo_root": s.req.Root,
		"run_id": s.req.RunID, "task_id": s.req.Task.ID,
	}
	if compact != "" && strings.Contains(strings.Join(p.Args, "\n"), "schema_file") {
		file, err := s.write(dir+prep.evidence+".schema.json", []byte(compact))
		if err != nil {
			return false, err
		}
		values["schema_file"] = filepath.Join(s.RunsDir, filepath.FromSlash(file.Path))
	}
	prep.call = vendor.Call{
		Profile: p, Values: values, Prompt: []byte(text),
		PromptFile: filepath.Join(s.RunsDir, filepath.FromSlash(prep.prompt.Path)),
		Dir:        s.req.Root, Env: s.Env, Bwrap: s.Confine.Bwrap, HomeDir: s.Confine.HomeDir, Limit: s.left(),
	}
	if prep.argv, err = s.Vendor.Preview(prep.call); err != nil {
		s.stop(outcome.RolePromptUndeliverable, err.Error())
		return false, nil
	}
	s.argv = prep.argv
	if prep.call.Sandbox, err = s.Confine.spec(p, s.req.Root); err != nil {
		s.stop(outcome.Unconfined, err.Error())
		return false, nil
	}
	return true, nil
}

// write keeps one file as evidence.
func (s *dispatch) write(rel string, data []byte) (ledger.File, error) {
	f, err := s.Evidence.WriteFile(rel, data)
	if err != nil {
		return ledger.File{}, fmt.Errorf("write evidence %s: %w", rel, err)
	}
	s.files = append(s.files, f)
	return f, nil
}
