package runner

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/tolboy/warden/internal/sandbox"
)

// cached are directories below the home that hold what package managers have
// fetched. A check without network finds the dependencies that are there.
var cached = [...]string{"go/pkg/mod", ".cargo/registry", ".cargo/git", ".m2/repository"}

// installed are directories below the home where version managers keep the
// programs behind the small ones on PATH. Without them `cargo` or `python` starts
// and finds no toolchain. None of them holds a credential.
var installed = [...]string{
	".rustup/toolchains", ".rustup/settings.toml", ".pyenv", ".rbenv", ".nvm/versions", ".volta/bin", ".volta/tools", ".asdf", ".local/share/mise",
	".sdkman/candidates", ".jenv", ".dotnet",
}

// caches shares what package managers have fetched, read-only.
func (m *Machine) caches() []sandbox.Mount { return m.below(cached[:]) }

// programs shares, read-only, the directories of PATH that lie in a home and the
// places of installed toolchains, so that tools installed there still start
// although the home is hidden.
func (m *Machine) programs() []sandbox.Mount {
	var out []sandbox.Mount
	for _, dir := range filepath.SplitList(lookup(m.Environ, "PATH")) {
		if !slices.ContainsFunc(m.Homes, func(home string) bool { return within(dir, home) }) || slices.Contains(m.Homes, dir) {
			continue
		}
		for _, d := range []string{dir, filepath.Join(dir, "..", "lib")} {
			d = filepath.Clean(d)
			if info, err := os.Stat(d); err == nil && info.IsDir() && (d == dir || filepath.Base(dir) == "bin") && !slices.Contains(m.Homes, d) {
				out = append(out, sandbox.Mount{Source: d, Target: d})
			}
		}
	}
	return append(out, m.below(installed[:])...)
}

func (m *Machine) below(places []string) []sandbox.Mount {
	var out []sandbox.Mount
	for _, home := range m.Homes {
		for _, rel := range places {
			path := filepath.Join(home, rel)
			if info, err := os.Stat(path); err == nil && (info.IsDir() || info.Mode().IsRegular()) {
				out = append(out, sandbox.Mount{Source: path, Target: path})
			}
		}
	}
	return out
}
