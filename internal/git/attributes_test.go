package git

import "testing"

// TestTreeAttributesDoNotBlind hides a change by an attribute that the tree itself
// holds: git reads "$Id: anything$" back as "$Id$", so the line looks unchanged.
func TestTreeAttributesDoNotBlind(t *testing.T) {
	t.Parallel()
	r := newRepo(t, map[string]string{".gitattributes": "*.sh ident\n", "id.sh": "# $Id$\n"})
	j := r.judge()
	r.write("id.sh", "# $Id: x$\n")
	if out := r.git("diff", "HEAD"); out != "" {
		t.Fatalf("not hidden from plain git: %q", out)
	}
	wantPaths(t, look(t, j), "M id.sh")
}
