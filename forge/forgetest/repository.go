package forgetest

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const maxGitOutput = 64 << 20

// git runs git on the bare repository. Env comes on top of a clean environment.
func (s *Server) git(stdin []byte, env []string, args ...string) (string, error) {
	cmd := s.command(env, append([]string{"--git-dir", s.dir}, args...)...)
	cmd.Stdin = bytes.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(stderr.String()))
	}
	if len(out) > maxGitOutput {
		return "", fmt.Errorf("git %s: more than %d bytes of output", args[0], maxGitOutput)
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}

// differed is the last difference that was asked for. Several remarks of a review
// stand in one file.
type differed struct{ key, text string }

// diff runs git diff between commits, which are named by id. The caller holds mu.
func (s *Server) diff(args ...string) (string, error) {
	key := strings.Join(args, "\x00")
	if s.differed.key != key {
		out, err := s.git(nil, nil, append([]string{"diff"}, args...)...)
		if err != nil {
			return "", err
		}
		s.differed = differed{key: key, text: out}
	}
	return s.differed.text, nil
}

// command is git with the server's environment and nothing of the machine's.
func (s *Server) command(env []string, args ...string) *exec.Cmd {
	program := s.opts.Git
	if program == "" {
		program = "git"
	}
	cmd := exec.CommandContext(s.ctx, program, args...)
	cmd.Env = append(s.gitEnv(), env...)
	return cmd
}

func (s *Server) gitEnv() []string {
	path := s.opts.Path
	if path == "" {
		path = os.Getenv("PATH")
	}
	return []string{
		"PATH=" + path, "HOME=" + s.dir, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_TERMINAL_PROMPT=0", "LC_ALL=C",
	}
}

func (s *Server) initRepository() error {
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return fmt.Errorf("make the repository: %w", err)
	}
	if _, err := s.git(nil, nil, "init", "--quiet", "--bare", "--initial-branch", s.opts.DefaultBranch); err != nil {
		return err
	}
	if err := s.renameStore(); err != nil {
		return err
	}
	// What the real forge does: it serves any reachable object and partial
	// clones, hides its own refs from pushes, and never collects behind a push.
	config := `[uploadpack]
	allowFilter = true
	allowAnySHA1InWant = true
[transfer]
	hideRefs = refs/forgetest
[receive]
	hideRefs = refs/pull
	autogc = false
	advertiseAtomic = true
[gc]
	auto = 0
`
	f, err := os.OpenFile(filepath.Join(s.dir, "config"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("configure the repository: %w", err)
	}
	_, err = f.WriteString(config)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("configure the repository: %w", err)
	}
	hook := filepath.Join(s.dir, "hooks", "update")
	if err := os.MkdirAll(filepath.Dir(hook), 0o755); err != nil {
		return fmt.Errorf("install the update hook: %w", err)
	}
	if err := os.WriteFile(hook, []byte(workflowHook), 0o755); err != nil {
		return fmt.Errorf("install the update hook: %w", err)
	}
	author := identity{"Octo Shop", "shop@example.invalid", s.created}
	commit, err := s.commit("", "First commit", author, s.opts.Files)
	if err != nil {
		return err
	}
	ref := "refs/heads/" + s.opts.DefaultBranch
	if _, err := s.git(nil, nil, "update-ref", ref, commit); err != nil {
		return err
	}
	s.branches[s.opts.DefaultBranch] = branch{sha: commit}
	return nil
}

// renameStore lets the objects lie under another name, with a link in their place.
// Every push is checked beside the store, and where the store is one of a repository
// by its name, git starts a process to ask it for refs that the check knows already.
func (s *Server) renameStore() error {
	objects := filepath.Join(s.dir, "objects")
	if err := os.Rename(objects, filepath.Join(s.dir, "store")); err != nil {
		return fmt.Errorf("make the repository: %w", err)
	}
	if os.Symlink("store", objects) == nil {
		return nil
	}
	if err := os.Rename(filepath.Join(s.dir, "store"), objects); err != nil { // a system without links
		return fmt.Errorf("make the repository: %w", err)
	}
	return nil
}

type identity struct {
	name, email string
	when        time.Time
}

// workRef is where a commit is made; it is hidden from clients.
const workRef = "refs/forgetest/work"

// commit makes a commit on top of parent that writes these files; an empty
// parent starts a history. One process does it all.
func (s *Server) commit(parent, message string, who identity, files map[string]string) (string, error) {
	var in strings.Builder
	person := fmt.Sprintf("%s <%s> %d +0000", who.name, who.email, who.when.Unix())
	fmt.Fprintf(&in, "commit %s\nmark :1\nauthor %s\ncommitter %s\ndata %d\n%s\n", workRef, person, person, len(message)+1, message)
	in.WriteString("\n")
	if parent != "" {
		fmt.Fprintf(&in, "from %s\n", parent)
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if path == "" || strings.ContainsAny(path, "\n\"") {
			return "", fmt.Errorf("commit %q: it is no path", path)
		}
		fmt.Fprintf(&in, "M 100644 inline %s\ndata %d\n%s\n", path, len(files[path]), files[path])
	}
	in.WriteString("get-mark :1\ndone\n")
	return s.git([]byte(in.String()), nil, "fast-import", "--quiet", "--force", "--done")
}

func (s *Server) commitTree(tree, message string, who identity, parents ...string) (string, error) {
	args := []string{"commit-tree", tree}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	date := fmt.Sprintf("%d +0000", who.when.Unix())
	return s.git([]byte(message+"\n"), []string{
		"GIT_AUTHOR_NAME=" + who.name, "GIT_AUTHOR_EMAIL=" + who.email, "GIT_AUTHOR_DATE=" + date,
		"GIT_COMMITTER_NAME=" + who.name, "GIT_COMMITTER_EMAIL=" + who.email, "GIT_COMMITTER_DATE=" + date,
	}, args...)
}

// heads reads the branches as git has them now.
func (s *Server) heads() (map[string]string, error) {
	out, err := s.git(nil, nil, "for-each-ref", "--format=%(objectname) %(refname)", "refs/heads/")
	if err != nil {
		return nil, err
	}
	heads := map[string]string{}
	for line := range strings.Lines(out) {
		sha, ref, _ := strings.Cut(strings.TrimSpace(line), " ")
		heads[strings.TrimPrefix(ref, "refs/heads/")] = sha
	}
	return heads, nil
}

// workflowHook refuses a push that brings a commit which touches a workflow. It
// leaves the reason where the server picks it up, because an update hook cannot
// choose the words that git reports for the ref.
const workflowHook = `#!/bin/sh
test -n "$FORGETEST_REASONS" || exit 0
case $3 in *[!0]*) ;; *) exit 0 ;; esac
files=$(git log -m --format= --name-only -n 1 "$3" --not --all -- .github/workflows)
file=${files%%"
"*}
test -n "$file" || exit 0
printf '%s\t%s\n' "$1" "$file" >>"$FORGETEST_REASONS"
exit 1
`
