package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tolboy/warden/forge"
	"github.com/tolboy/warden/forge/github"
	"github.com/tolboy/warden/internal/archive"
	"github.com/tolboy/warden/internal/bot"
	"github.com/tolboy/warden/internal/ci"
	"github.com/tolboy/warden/internal/doctor"
	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/git"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/proc"
	"github.com/tolboy/warden/internal/progress"
	"github.com/tolboy/warden/internal/push"
	"github.com/tolboy/warden/internal/reconcile"
	"github.com/tolboy/warden/internal/runner"
	"github.com/tolboy/warden/internal/workshop"
	"github.com/tolboy/warden/internal/worktree"
)

// shop is everything that works on one repository of a forge.
type shop struct {
	bot      *bot.Bot
	workshop *workshop.Workshop
	label    string
	prefix   string
	warnings []string // about limits that end each other
}

// openShop wires the forge, the ledgers and the workshop for a job. It makes this
// process unreadable for its children first: their parent holds a write token.
func (a *app) openShop(ctx context.Context, job ci.Context, log io.Writer) (*shop, error) {
	if err := proc.Harden(); err != nil {
		return nil, fmt.Errorf("make the process non-dumpable: %w", err)
	}
	dir, err := stateDir(a.env, job)
	if err != nil {
		return nil, err
	}
	for _, sub := range []string{"runs", "trees"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return nil, fmt.Errorf("make the state directory: %w", err)
		}
	}
	client, err := github.New(github.Config{Repo: job.Repo, APIURL: job.APIURL, GraphQLURL: job.GraphQLURL, UserAgent: "warden/" + Version,
		Token: func(context.Context) (string, error) { return job.Token.Reveal(), nil }})
	if err != nil {
		return nil, err
	}
	home, err := homeDir(a.env)
	if err != nil {
		return nil, err
	}
	machine, err := a.jobMachine(ctx, home, dir)
	if err != nil {
		return nil, err
	}
	branch, err := client.DefaultBranch(ctx)
	if err != nil {
		return nil, fmt.Errorf("ask for the default branch: %w", err)
	}
	pusher := push.New(machine.Git)
	remote := push.Remote{URL: job.ServerURL + "/" + job.Repo.String() + ".git", Credential: push.Credential{Username: "x-access-token", Token: job.Token.Reveal()}}
	// One listing serves the mirror, which may be up to date, and the first look for ledgers.
	tip := "refs/heads/" + branch
	listed, err := pusher.Refs(ctx, remote, tip, archive.Prefix+"*")
	if err != nil {
		return nil, fmt.Errorf("mirror the repository: %w", err)
	}
	known := "" // the tip, where nothing had to be fetched
	mirror, err := worktree.Mirror(ctx, machine.Git, worktree.MirrorSpec{Dir: filepath.Join(dir, "mirror.git"),
		Refspecs: []string{"+" + tip + ":" + tip},
		Fetch: func(ctx context.Context, gitDir string, refspecs ...string) error {
			if at, err := machine.Git.Run(ctx, gitDir, "rev-parse", "--verify", "--quiet", tip); err == nil && strings.TrimSpace(string(at)) == listed[tip] {
				known = listed[tip]
				return nil
			}
			return pusher.Fetch(ctx, remote, gitDir, refspecs...)
		}})
	if err != nil {
		return nil, fmt.Errorf("mirror the repository: %w", err)
	}
	ledgers := filepath.Join(dir, "ledgers.git")
	if err := git.MakeDir(git.DirSpec{Dir: ledgers, ObjectFormat: "sha1", Bare: true, Alternates: []string{filepath.Join(mirror, "objects")}}); err != nil {
		return nil, err
	}
	var w *workshop.Workshop
	w = &workshop.Workshop{
		Machine: machine, Pusher: pusher, Mirror: mirror, Ledgers: ledgers, RunsDir: filepath.Join(dir, "runs"), Default: branch, Tip: known, Remote: remote,
		HomePath: ".github/warden", Identity: runner.Identity{Name: "warden", Email: "warden@users.noreply.github.com"},
		Notice: func(o bot.Order) func(engine.Notice) { return a.narrateRun(log, w.Home(), o) },
	}
	if err := w.Open(ctx); err != nil {
		return nil, err
	}
	machine.Required = !w.Home().Policy.AllowUnconfined
	red, err := secrets(a, job, keyNames(w))
	if err != nil {
		return nil, &refused{Code: "secret_unusable", Message: err.Error()}
	}
	w.Secrets = red
	base, err := w.Base(ctx, "")
	if err != nil {
		return nil, err
	}
	host := hostID()
	s := &shop{workshop: w, label: base.Project.Forge.Label, prefix: base.Project.Forge.BranchPrefix, warnings: doctor.WarnLimits(w.Home(), base.Project, a.environ)}
	if s.label == "" {
		s.label, s.prefix = "warden", "warden/"
	}
	w.Pusher = push.New(machine.Git, s.prefix, "warden-ledger/")
	kept := &archive.Archive{Transport: w.Pusher, Remote: w.Remote, GitDir: ledgers, RunsDir: w.RunsDir, Now: a.now,
		Full: base.Project.Forge.Publish.Transcripts, Pictures: base.Project.Forge.Publish.Screenshots, Listed: listed}
	s.bot = &bot.Bot{
		Forge: client, Repo: job.Repo, Kind: "github", Workshop: w, RunsDir: w.RunsDir, Redact: red, Version: Version, Now: a.now,
		Archive: kept,
		Owner:   owner(job, os.Getpid(), host), Alive: alive(host),
		Tell: func(t bot.Told) { tell(log, t) },
	}
	if kept.Pictures {
		s.bot.Picture = func(runID, path string) string {
			return github.FileURL(job.ServerURL, job.Repo, kept.Tip(runID), path)
		}
	}
	s.bot.Owner.Started = a.now().UTC()
	return s, nil
}

// jobMachine looks at the machine, unless somebody has in this process.
func (a *app) jobMachine(ctx context.Context, home, state string) (*runner.Machine, error) {
	if a.held != nil {
		return runner.NewMachineHeld(*a.held, a.environ, home, state)
	}
	return runner.NewMachine(ctx, a.environ, home, state)
}

// keyNames are the variables that profiles name as keys.
func keyNames(w *workshop.Workshop) []string {
	var names []string
	for _, p := range w.Home().Profiles {
		names = append(names, p.APIKeyEnv...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// narrateRun opens the narration of a run in the job's log.
func (a *app) narrateRun(log io.Writer, home policy.Home, o bot.Order) func(engine.Notice) {
	n := progress.New(log, progress.Options{})
	n.Tell(header(o.Ledger.ID(), o.Task, o.Base.Commit, home))
	if o.Rejection != nil {
		n.Tell(progress.Note{Text: fmt.Sprintf("starting from the rejection recorded on %s; the implementer is given its words verbatim", o.Rejected)})
	}
	return runner.Narrate(n)
}

func tell(log io.Writer, t bot.Told) {
	switch t.Kind {
	case reconcile.Nothing, reconcile.Ignore:
		fmt.Fprintf(log, "      nothing more is owed (%s)\n", t.Reason)
	default:
		fmt.Fprintf(log, "      %s %s (%s) %s\n", t.Kind, t.RunID, t.Reason, t.Text)
	}
}

// alive tells whether the process that owns a run still lives, when it is one of
// this machine. Our own process never asks about a run that it is working on.
func alive(host string) func(ledger.Owner) *bool {
	return func(o ledger.Owner) *bool {
		if o.Host != host || o.PID <= 0 {
			return nil
		}
		live := o.PID != os.Getpid() && running(o.PID)
		return &live
	}
}

// hostID tells machines apart, and one boot of a machine from the next.
func hostID() string {
	name, _ := os.Hostname()
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	sum := sha256.Sum256([]byte(name + "\x00" + strings.TrimSpace(string(boot))))
	return hex.EncodeToString(sum[:8])
}

// homeDir is the operator's real home.
func homeDir(env func(string) string) (string, error) {
	if h := env("HOME"); h != "" && filepath.IsAbs(h) {
		return h, nil
	}
	u, err := user.Current()
	if err != nil {
		return "", fmt.Errorf("find the home directory: %w", err)
	}
	if u.HomeDir == "" {
		return "", errors.New("find the home directory: HOME is not set")
	}
	return u.HomeDir, nil
}

func (s *shop) row(r reconcile.Run) runRow {
	row := runRow{RunID: r.ID, Reason: string(r.Reason), NextAction: r.NextAction, Candidate: r.Candidate, LedgerRef: archive.Ref(r.ID), LedgerHead: r.SealedHead}
	if e, err := s.ending(r.ID); err == nil {
		row.RoleRuns, row.CostUSD, row.Unpriced = e.RoleRuns, e.Usage.CostUSD, e.Usage.Unpriced
	}
	if h, err := ledger.Read(s.workshop.RunsDir, r.ID); err == nil {
		row.DecisionHead = h.DecisionHead()
	}
	return row
}

func (s *shop) ending(id string) (ledger.Ending, error) {
	h, err := ledger.Read(s.workshop.RunsDir, id)
	if err != nil {
		return ledger.Ending{}, err
	}
	line, ok := h.Sealed()
	if !ok {
		return ledger.Ending{}, errors.New("not sealed")
	}
	var e ledger.Ending
	return e, line.Decode(&e)
}

// blocking are the findings that a person should see at their lines.
func (s *shop) blocking(out actionRun) []forge.Annotation {
	if len(out.Runs) == 0 {
		return nil
	}
	e, err := s.ending(out.Runs[len(out.Runs)-1].RunID)
	if err != nil {
		return nil
	}
	var list []forge.Annotation
	for _, f := range e.OpenFindings {
		if f.Severity == "P1" && len(list) < 50 {
			list = append(list, forge.Annotation{Path: f.Path, Line: f.Line, Level: "failure", Title: f.ID, Message: f.Message})
		}
	}
	return list
}

func noteDigest(note []byte) string {
	sum := sha256.Sum256(note)
	return hex.EncodeToString(sum[:])
}
