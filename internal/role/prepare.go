package role

import (
	"context"
	"errors"
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
	gaze     *gaze // how the call gets its pictures; nil for a role that judges none
}

// prepare renders and writes the prompt and checks that the call can be
// delivered, all before anybody pays. Nil means that the dispatch has stopped.
func (s *dispatch) prepare(ctx context.Context, p policy.Profile) (*prepared, error) {
	prep := &prepared{evidence: s.req.Role}
	if n := len(s.record.Calls); n > 0 {
		prep.evidence = fmt.Sprintf("%s.attempt-%d", s.req.Role, n+1)
	}
	m, err := s.material(p)
	if err != nil {
		s.stop(outcome.RolePromptUndeliverable, err.Error())
		return nil, nil
	}
	prep.schema = m.schema
	if err := s.lookBefore(ctx); err != nil {
		return nil, err
	}
	if ok, err := s.gaze(p, prep); err != nil || !ok {
		return nil, err
	}
	req := s.req
	if req.Changed == nil {
		req.Changed = s.before.SourcePaths()
	}
	text, backfilled, err := s.Dispatcher.prompt(ctx, req, p, m, prep.gaze)
	if errors.Is(err, errUndeliverable) {
		s.stop(outcome.RolePromptUndeliverable, err.Error())
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s.backfilled = backfilled
	if s.inherited && !p.ReadOnly {
		text = handover + text
		s.record.InheritedUnfinished = true
	}
	ok, err := s.ready(p, prep, m, text)
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

// ready writes what the vendor is given and builds the call. False means that the
// dispatch has stopped.
func (s *dispatch) ready(p policy.Profile, prep *prepared, m material, text string) (bool, error) {
	dir := s.req.EvidenceDir + "/prompts/"
	var err error
	if prep.prompt, err = s.write(dir+prep.evidence+".md", []byte(text)); err != nil {
		return false, err
	}
	s.record.Prompt, s.record.PromptSHA256 = prep.prompt.Path, prep.prompt.SHA256
	schemaFile := ""
	if m.schemaJSON != "" && strings.Contains(strings.Join(p.Args, "\n"), "schema_file") {
		file, err := s.write(dir+prep.evidence+".schema.json", []byte(m.schemaJSON))
		if err != nil {
			return false, err
		}
		schemaFile = s.onDisk(file)
	}
	prep.call = s.call(p, s.req, m, []byte(text), s.onDisk(prep.prompt), schemaFile)
	prep.gaze.equip(&prep.call)
	prep.call.Limit = s.left()
	prep.call.Keep = func(name string, data []byte) error {
		_, err := s.write(s.req.EvidenceDir+"/raw/"+prep.evidence+"."+name, data)
		return err
	}
	argv, refused, err := s.plan(&prep.call)
	if err != nil {
		return false, err
	}
	if refused != nil {
		s.stop(refused.Code, refused.Detail)
		return false, nil
	}
	prep.argv, s.argv = argv, argv
	s.record.Vision = prep.gaze.record(argv)
	return true, nil
}

func (s *dispatch) onDisk(f ledger.File) string {
	return filepath.Join(s.RunsDir, filepath.FromSlash(f.Path))
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
