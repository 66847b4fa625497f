package push

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/tolboy/warden/internal/git"
)

// ledgerIdentity is who commits ledgers.
const ledgerIdentity = "Warden <warden@localhost>"

// ledgerImport is one commit as git fast-import takes it.
type ledgerImport struct {
	paths   []string          // sorted
	small   map[string][]byte // contents
	blobs   map[string]string // object ids of the other files
	parent  string
	reach   []string
	message string
	when    time.Time
}

// importRef is where git wants the commit while it makes it. It is deleted in the
// same call, so nobody sees it.
const importRef = "refs/warden-import"

// importCommit makes the objects and the commit with one process, where
// hash-object, update-index, write-tree and commit-tree would be four.
func (p *Pusher) importCommit(ctx context.Context, gitDir string, in ledgerImport) (string, error) {
	res, err := p.git.Do(ctx, git.Call{
		Dir: gitDir, GitDir: gitDir, Stdin: in.stream(), Config: keepPack(gitDir),
		Args: []string{"fast-import", "--quiet", "--force", "--done"},
	})
	if err != nil {
		return "", err
	}
	id := strings.TrimSpace(string(res.Stdout))
	if !git.IsObjectID(id) {
		return "", fmt.Errorf("git fast-import: printed %.80q", id)
	}
	return id, nil
}

// maxPacks bounds the packs of a repository of ledgers: every look-up asks each.
const maxPacks = 100

// keepPack has git keep the pack that it writes, where it would start a process to
// make every object of a small one a file of its own.
func keepPack(gitDir string) []string {
	packs, err := filepath.Glob(filepath.Join(gitDir, "objects", "pack", "*.idx"))
	if err != nil || len(packs) >= maxPacks {
		return nil
	}
	return []string{"fastimport.unpackLimit=1"}
}

func (in ledgerImport) stream() []byte {
	var b bytes.Buffer
	message := strings.TrimRight(in.message, "\n") + "\n"
	who := fmt.Sprintf("%s %d +0000", ledgerIdentity, in.when.Unix())
	fmt.Fprintf(&b, "reset %s\n\ncommit %s\nmark :1\nauthor %s\ncommitter %s\ndata %d\n%s\n",
		importRef, importRef, who, who, len(message), message)
	parents := in.reach
	if in.parent != "" {
		parents = append([]string{in.parent}, in.reach...)
	}
	for i, id := range parents {
		word := "merge"
		if i == 0 {
			word = "from"
		}
		fmt.Fprintf(&b, "%s %s\n", word, id)
	}
	b.WriteString("deleteall\n") // the files are the whole tree
	for _, name := range in.paths {
		if id, stored := in.blobs[name]; stored {
			fmt.Fprintf(&b, "M 100644 %s %s\n", id, name)
			continue
		}
		fmt.Fprintf(&b, "M 100644 inline %s\ndata %d\n", name, len(in.small[name]))
		b.Write(in.small[name])
		b.WriteByte('\n')
	}
	none := strings.Repeat("0", 40)
	fmt.Fprintf(&b, "get-mark :1\nreset %s\nfrom %s\n\ndone\n", importRef, none)
	return b.Bytes()
}
