package cli

import (
	"os"
	"slices"
	"testing"

	"github.com/tolboy/warden/internal/policy"
)

// TestAsOperator holds what the operator's commands are started with.
func TestAsOperator(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, dir := range []string{"/.git", "/bin"} {
		if err := os.Mkdir(root+dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	home := policy.Home{Profiles: map[string]policy.Profile{"p": {APIKeyEnv: []string{"ACME_KEY"}}}}
	got := asOperator([]string{"PATH=" + root + "/bin:/usr/bin", "ACME_KEY=secret", "GH_TOKEN=own", "SSH_AUTH_SOCK=/s"}, home, root)
	if want := []string{"GH_TOKEN=own", "SSH_AUTH_SOCK=/s", "PATH=/usr/bin"}; !slices.Equal(got, want) {
		t.Errorf("started with %q, want %q", got, want)
	}
}
