package forgecases

import (
	"archive/tar"
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/tolboy/warden/forge/forgetest"
	"github.com/tolboy/warden/internal/provoked"
)

// The vendor's key: given to the program by its environment, and to nobody else.
const (
	keyName = "SCRIBE_API_KEY"
	key     = "sk-forgecases-canary-91be3c07-do-not-print"
)

// audit holds a world to what is true of every history: the forge saw nothing
// forbidden, no secret is anywhere, and every ledger verifies.
func (w *world) audit() {
	w.t.Helper()
	if v := w.server.Violations(); len(v) > 0 && !w.set.breaches {
		w.t.Errorf("violations: %v", v)
	}
	needles := append(shapes(forgetest.DefaultToken), shapes(key)...)
	needles = append(needles, shapes("x-access-token:"+forgetest.DefaultToken)...)
	w.scanFiles(needles)
	if !w.set.leaks {
		w.scanForge(needles)
		w.scanObjects(needles)
	}
	w.verify()
	w.single()
}

// shapes are the forms of a secret: as it is, in hexadecimal, and in base64 at
// each of the three places where it can begin in a group.
func shapes(secret string) [][]byte {
	out := [][]byte{[]byte(secret), []byte(hex.EncodeToString([]byte(secret))), []byte(strings.ToUpper(hex.EncodeToString([]byte(secret))))}
	for shift := range 3 {
		padded := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("\x00", shift) + secret))
		from, to := (shift*8+5)/6, len(padded)-4
		out = append(out, []byte(padded[from:to]), []byte(strings.NewReplacer("+", "-", "/", "_").Replace(padded[from:to])))
	}
	return out
}

func found(data []byte, needles [][]byte) string {
	for _, n := range needles {
		if bytes.Contains(data, n) {
			return string(n)
		}
	}
	return ""
}

// scanFiles looks into every file but the vendors' scripts, which a test may have
// given the key on purpose.
func (w *world) scanFiles(needles [][]byte) {
	w.t.Helper()
	seen := 0
	err := filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path == filepath.Join(w.home, "scripts"):
			return fs.SkipDir
		case !d.Type().IsRegular():
			return nil
		case w.set.leaks && strings.HasPrefix(filepath.Base(path), "event-"):
			return nil
		}
		data, err := os.ReadFile(path)
		seen++
		if n := found(data, needles); n != "" {
			w.t.Errorf("%s holds a secret: %s", path, n)
		}
		return err
	})
	if err != nil || seen == 0 {
		w.t.Errorf("looked into %d files: %v", seen, err)
	}
}

// scanForge looks at every text that was sent to the forge or that it sends on.
func (w *world) scanForge(needles [][]byte) {
	w.t.Helper()
	for _, r := range w.server.Requests() {
		if n := found(append([]byte(r.Path), r.Body...), needles); n != "" {
			w.t.Errorf("%s %s carries a secret: %s", r.Method, r.Route, n)
		}
	}
	for _, d := range w.server.Deliveries() {
		if n := found(d.Payload, needles); n != "" {
			w.t.Errorf("a delivery of %s carries a secret: %s", d.Event, n)
		}
	}
}

// scanObjects looks at every git object, on the forge and in the state directory.
func (w *world) scanObjects(needles [][]byte) {
	w.t.Helper()
	dirs := []string{w.server.GitDir()}
	err := filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && exists(filepath.Join(path, "objects")) && exists(filepath.Join(path, "HEAD")) && path != w.server.GitDir() {
			dirs = append(dirs, path)
			return fs.SkipDir
		}
		return err
	})
	if err != nil {
		w.t.Error(err)
	}
	for _, dir := range dirs {
		cmd := exec.Command("git", "--git-dir", dir, "cat-file", "--batch-all-objects", "--batch")
		out, err := cmd.Output()
		// A killed push leaves a directory without objects behind; the forge has some.
		if err != nil || len(out) == 0 && dir == w.server.GitDir() {
			w.t.Errorf("read the objects of %s: %d bytes, %v", dir, len(out), err)
		}
		if n := found(out, needles); n != "" {
			w.t.Errorf("an object of %s holds a secret: %s", dir, n)
		}
	}
}

// refs lists refs of the forge's repository with their commits.
func (w *world) refs(prefix string) map[string]string {
	w.t.Helper()
	out, err := exec.Command("git", "--git-dir", w.server.GitDir(), "for-each-ref", "--format=%(refname) %(objectname)", prefix).Output()
	if err != nil {
		w.t.Fatalf("list %s: %v", prefix, err)
	}
	refs := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, commit, _ := strings.Cut(strings.TrimSpace(line), " ")
		refs[name] = commit
	}
	return refs
}

// published brings the ledgers of the forge into a directory and returns it with
// the ids of the runs.
func (w *world) published() (dir string, ids []string) {
	w.t.Helper()
	dir = filepath.Join(w.t.TempDir(), "published")
	for ref := range w.refs("refs/warden/runs/") {
		out, err := exec.Command("git", "--git-dir", w.server.GitDir(), "archive", "--format=tar", ref).Output()
		if err != nil {
			w.t.Fatalf("read %s: %v", ref, err)
		}
		if err := untar(out, dir); err != nil {
			w.t.Fatalf("read %s: %v", ref, err)
		}
		ids = append(ids, strings.TrimPrefix(ref, "refs/warden/runs/"))
	}
	if err := provoked.Tree(dir); err != nil {
		w.t.Error(err)
	}
	return dir, ids
}

func untar(data []byte, dir string) error {
	r := tar.NewReader(bytes.NewReader(data))
	for {
		h, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		path := filepath.Join(dir, filepath.FromSlash(h.Name))
		switch h.Typeflag {
		case tar.TypeReg:
			text, err := io.ReadAll(r)
			if err != nil {
				return err
			}
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(path, text, 0o644); err != nil {
				return err
			}
		case tar.TypeDir, tar.TypeXGlobalHeader:
		default:
			return fmt.Errorf("%s is no regular file", h.Name)
		}
	}
}

// verify runs `warden verify` on every ledger of the forge. What the program last
// printed about a run must be its sealed head, which covers no decision, and the
// head of its last decision, which does.
func (w *world) verify() {
	w.t.Helper()
	dir, ids := w.published()
	for _, id := range ids {
		if v := w.verified(dir, id, ""); !v.OK {
			w.t.Errorf("the ledger of %s does not verify: %s", id, v.text)
		}
	}
	for _, r := range w.last.Runs {
		if r.LedgerHead != "" {
			if v := w.verified(dir, r.RunID, r.LedgerHead); !v.OK || v.Code != "verified_to_anchor" {
				w.t.Errorf("the ledger of %s against its sealed head: %s", r.RunID, v.text)
			}
		}
		if r.DecisionHead != "" {
			if v := w.verified(dir, r.RunID, r.DecisionHead); !v.OK || v.Code != "verified" {
				w.t.Errorf("the ledger of %s against the head of its decision: %s", r.RunID, v.text)
			}
		}
	}
}

// verdict is what `warden verify` printed.
type verdict struct {
	OK   bool   `json:"ok"`
	Code string `json:"code"`
	text string
}

func (w *world) verified(dir, id, against string) verdict {
	w.t.Helper()
	args := []string{"verify", id, "--published", "--runs-dir", dir}
	if against != "" {
		args = append(args, "--against", against)
	}
	out, err := exec.Command(program, args...).Output()
	v := verdict{text: string(out)}
	if jsonErr := json.Unmarshal(out, &v); jsonErr != nil || v.OK != (err == nil) {
		w.t.Errorf("verify %s: %v, %v: %s", id, err, jsonErr, out)
	}
	return v
}

// single holds the forge to one branch, at most one pull request, one status
// comment for an issue, and no answer twice.
func (w *world) single() {
	w.t.Helper()
	pulls, branches := map[string]int{}, 0
	for name := range w.refs("refs/heads/") {
		if strings.HasPrefix(name, "refs/heads/warden/") {
			branches++
		}
	}
	comments := map[string]int{}
	for _, r := range w.server.Requests() {
		if r.Status >= 300 {
			continue
		}
		var sent struct{ Body, Head string }
		_ = json.Unmarshal(r.Body, &sent) // other routes have other bodies
		switch r.Route {
		case "pulls.create":
			pulls[sent.Head]++
		case "issue.comments.create":
			first, _, _ := strings.Cut(sent.Body, "\n")
			comments[r.Path+" "+first]++
		}
	}
	if branches > w.issues() {
		w.t.Errorf("%d branches for %d issues", branches, w.issues())
	}
	for head, n := range pulls {
		if n != 1 && !w.closedPull() {
			t := w.t
			t.Errorf("%d pull requests were opened from %s", n, head)
		}
	}
	for what, n := range comments {
		if n != 1 {
			w.t.Errorf("written %d times: %s", n, what)
		}
	}
}

// issues counts the issues that people opened.
func (w *world) issues() int {
	n := 0
	for _, d := range w.server.Deliveries() {
		var p struct{ Action string }
		if d.Event == "issues" && json.Unmarshal(d.Payload, &p) == nil && p.Action == "opened" {
			n++
		}
	}
	return n
}

// closedPull reports whether a pull request was closed, so that a second one is right.
func (w *world) closedPull() bool {
	for _, d := range w.server.Deliveries() {
		var p struct{ Action string }
		if d.Event == "pull_request" && json.Unmarshal(d.Payload, &p) == nil && p.Action == "closed" {
			return true
		}
	}
	return false
}
