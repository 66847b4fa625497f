package vendor

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tolboy/warden/internal/policy"
)

// ownCode are files of a repository from which a program loads and runs code
// whatever its flags say. Measured with opencode 1.18: --pure and
// OPENCODE_DISABLE_PROJECT_CONFIG stop one of its two loaders, and the other
// imports .opencode/plugin/*.js before the first model call. A program that can
// be told to leave such files alone has no row here; its profile tells it.
var ownCode = map[string][]string{
	"opencode": {".opencode", "opencode.json", "opencode.jsonc"},
}

// agentFiles returns those of the tree's files that the profile's program would
// run. They must not be there for it.
func agentFiles(p policy.Profile, root string) ([]string, error) {
	if root == "" {
		return nil, nil // a profile that is looked at without a tree
	}
	program := strings.TrimSuffix(strings.ToLower(filepath.Base(p.Command)), ".exe")
	names, ok := ownCode[program]
	if !ok {
		names = ownCode[strings.ToLower(p.Vendor)]
	}
	var found []string
	for _, name := range names {
		path := filepath.Join(root, name)
		switch _, err := os.Lstat(path); {
		case err == nil:
			found = append(found, path)
		case !os.IsNotExist(err):
			return nil, fmt.Errorf("look for %s: %w", path, err)
		}
	}
	return found, nil
}
