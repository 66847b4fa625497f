package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// operating are the settings that win over the operator's own where git runs as
// the operator. They keep credential helpers, ssh and proxies, and switch off what
// would run or send more than was asked for. An option that goes with every push
// could ask a forge to merge.
var operating = []string{
	"core.hooksPath=/dev/null",
	"core.fsmonitor=false",
	"core.pager=cat",
	"core.editor=false",
	"protocol.ext.allow=never",
	"submodule.recurse=false",
	"push.recurseSubmodules=no",
	"push.gpgSign=false",
	"push.followTags=false",
	"push.pushOption=",
	"transfer.bundleURI=false",
	"gc.auto=0",
	"maintenance.auto=false",
}

// operatorsOwn are the variables of git that say how the operator reaches a remote.
// All others say which repository is meant, or set what we set ourselves.
var operatorsOwn = []string{
	"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT",
	"GIT_ASKPASS", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "GIT_SSL_CERT", "GIT_SSL_KEY",
}

// Operate performs a call with the operator's environment, credentials and user
// settings, in a git directory of Warden's own: no repository's settings and no
// hook take part. It asks nothing on a terminal.
func (g *Git) Operate(ctx context.Context, environ []string, c Call) (Result, error) {
	if !isOwnBare(c.GitDir) {
		return Result{}, fmt.Errorf("git %s: %q is no git directory of Warden's own", subcommand(c.Args), c.GitDir)
	}
	env := withoutGit(environ)
	for _, name := range operatorsOwn {
		if v, ok := lookup(environ, name); ok {
			env = append(env, name+"="+v)
		}
	}
	env = append(env, "GIT_TERMINAL_PROMPT=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_PAGER=cat", "LC_ALL=C")
	return g.perform(ctx, c, operating, env)
}

// OperatorSettings returns the settings at dir, repository, user and system, whose
// keys match an extended regular expression, each with its values in their order.
// Reading settings runs no program.
func (g *Git) OperatorSettings(ctx context.Context, dir, pattern string) (map[string][]string, error) {
	res, err := g.do(ctx, at(dir, "config", "-z", "--includes", "--get-regexp", pattern), g.operator)
	var failed *CommandError
	if err != nil && !(errors.As(err, &failed) && failed.ExitCode == 1) {
		return nil, fmt.Errorf("read the operator's git settings: %w", err)
	}
	settings := map[string][]string{}
	for record := range bytes.SplitSeq(res.Stdout, []byte{0}) {
		if len(record) > 0 {
			key, value, _ := strings.Cut(string(record), "\n")
			settings[key] = append(settings[key], value)
		}
	}
	return settings, nil
}

// Holds says where the source of a commit, counted from base, is not what a
// snapshot saw against that base, or nil. Contract files are not compared.
func (j *Judge) Holds(ctx context.Context, base, commit string, seen Snapshot) error {
	out, err := j.run(ctx, "diff-tree", "-r", "--raw", "--no-renames", "--no-abbrev", "-z", base, commit, "--")
	if err != nil {
		return err
	}
	stored, err := parseRaw(out)
	if err != nil {
		return err
	}
	contract := func(c Change) bool { return isContract(c.Path) }
	return sameChanges(slices.DeleteFunc(slices.Clone(seen.Changes), contract), slices.DeleteFunc(stored, contract))
}

// Between returns what differs between two commits outside .warden, by path.
func (j *Judge) Between(ctx context.Context, from, to string) ([]Change, error) {
	out, err := j.run(ctx, "diff-tree", "-r", "--raw", "--no-renames", "--no-abbrev", "-z", from, to, "--")
	if err != nil {
		return nil, err
	}
	changes, err := parseRaw(out)
	return slices.DeleteFunc(changes, func(c Change) bool { return isContract(c.Path) }), err
}
