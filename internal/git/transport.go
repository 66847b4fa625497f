package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
)

// ErrNoTransport: this git keeps the program that speaks with a remote elsewhere.
var ErrNoTransport = errors.New("git has no such program of its own")

// programs is where git keeps its own programs, once it was asked.
type programs struct {
	mu  sync.Mutex
	dir string
}

// Transport performs a call of the program by which git speaks with an http or
// https URL: c.Stdin holds what git itself would say to it, by gitremote-helpers(7).
// git push and git ls-remote start it behind two more processes. The call has no
// Args; its other fields, and what it returns, are as with Do. It is ErrNoTransport
// where the program is not beside git's others.
func (g *Git) Transport(ctx context.Context, url string, c Call) (Result, error) {
	scheme, _, _ := strings.Cut(url, "://")
	if scheme != "http" && scheme != "https" {
		return Result{}, fmt.Errorf("speak with a remote: scheme %q has no program", scheme)
	}
	dir, err := g.programs(ctx, c.Dir)
	if err != nil {
		return Result{}, err
	}
	name := "git-remote-" + scheme
	program := filepath.Join(dir, name)
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	if _, err := os.Stat(program); err != nil {
		return Result{}, ErrNoTransport
	}
	env := settingsEnv(g.env, append(fixed[:len(fixed):len(fixed)], c.Config...))
	return g.start(ctx, c, name, []string{program, url, url}, append(env, "GIT_DIR="+c.GitDir))
}

func (g *Git) programs(ctx context.Context, dir string) (string, error) {
	g.own.mu.Lock()
	defer g.own.mu.Unlock()
	if g.own.dir != "" {
		return g.own.dir, nil
	}
	res, err := g.Do(ctx, Call{Dir: dir, Args: []string{"--exec-path"}})
	if err != nil {
		return "", err
	}
	g.own.dir = strings.TrimRight(string(res.Stdout), "\r\n")
	return g.own.dir, nil
}

// settingsEnv passes settings to a program of git that takes no -c.
func settingsEnv(env, settings []string) []string {
	out := append(env[:len(env):len(env)], "GIT_CONFIG_COUNT="+strconv.Itoa(len(settings)))
	for i, kv := range settings {
		key, value, _ := strings.Cut(kv, "=")
		n := strconv.Itoa(i)
		out = append(out, "GIT_CONFIG_KEY_"+n+"="+key, "GIT_CONFIG_VALUE_"+n+"="+value)
	}
	return out
}
