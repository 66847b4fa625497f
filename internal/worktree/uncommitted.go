package worktree

import (
	"context"
	"slices"
	"strings"

	"github.com/tolboy/warden/internal/git"
)

// Uncommitted are paths by which the files of a checkout differ from its HEAD.
type Uncommitted struct {
	Contract []string // below .warden, without the runs; what git ignores too
	Other    []string // everything else, without what git ignores
}

// Changes looks at an operator's checkout. It writes nothing, not even what git
// remembers of the files, and no filter of the repository runs.
func Changes(ctx context.Context, g *git.Git, dir string) (Uncommitted, error) {
	var out Uncommitted
	settings, err := g.Settings(ctx, dir)
	if err != nil {
		return out, err
	}
	config, err := checkoutConfig(settings)
	if err != nil {
		return out, err
	}
	config = append(config, "core.excludesfile="+settings.ExcludesFile)
	for _, call := range []struct {
		skip int // letters of the state before each path
		args []string
	}{
		{3, []string{"status", "--porcelain", "-z", "--untracked-files=all", "--ignore-submodules=all", "--no-renames"}},
		// A contract that git ignores would be missing in the worktree all the same.
		{0, []string{"ls-files", "--others", "-z", "--", ".warden/project.yaml", ".warden/tasks/*.yaml"}},
	} {
		res, err := g.Do(ctx, git.Call{Dir: dir, Config: config, Args: call.args})
		if err != nil {
			return out, err
		}
		for record := range strings.SplitSeq(string(res.Stdout), "\x00") {
			path := record[min(call.skip, len(record)):]
			switch {
			case path == "" || strings.HasPrefix(path, ".warden/runs/"):
			case path == ".warden" || strings.HasPrefix(path, ".warden/"):
				out.Contract = append(out.Contract, path)
			default:
				out.Other = append(out.Other, path)
			}
		}
	}
	for _, paths := range []*[]string{&out.Contract, &out.Other} {
		slices.Sort(*paths)
		*paths = slices.Compact(*paths)
	}
	out.Other, err = withoutLFS(ctx, g, dir, out.Other)
	return out, err
}
