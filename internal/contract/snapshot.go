package contract

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
)

// Bounds of a contract directory, runs excluded.
const (
	maxContractFiles = 10_000
	maxContractBytes = 256 << 20
)

// Snapshot is the state of .warden at one moment: every file but those under
// runs, by its digest. It does not change, and may be shared.
type Snapshot struct {
	digests map[string]string // by path inside .warden
}

// Take reads the contract directory, given as a file system rooted at .warden.
// What is not a regular file is part of it too, by its kind and where it leads,
// so that a link put in the place of a file shows.
func Take(fsys fs.FS) (Snapshot, error) {
	s := Snapshot{digests: map[string]string{}}
	var total int64
	err := fs.WalkDir(fsys, ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path == "runs" && d.IsDir():
			return fs.SkipDir
		case d.IsDir() || path == "runs":
			return nil
		case len(s.digests) >= maxContractFiles:
			return fmt.Errorf("more than %d files", maxContractFiles)
		}
		digest, n, err := fileDigest(fsys, path, d, maxContractBytes-total)
		total += n
		s.digests[path] = digest
		return err
	})
	if err != nil {
		return Snapshot{}, fmt.Errorf("hash .warden: %w", err)
	}
	return s, nil
}

func fileDigest(fsys fs.FS, path string, d fs.DirEntry, left int64) (string, int64, error) {
	if !d.Type().IsRegular() {
		target := ""
		if d.Type()&fs.ModeSymlink != 0 {
			if t, err := fs.ReadLink(fsys, path); err == nil {
				target = t
			}
		}
		return hexSum([]byte(d.Type().String() + "\x00" + target)), 0, nil
	}
	f, err := fsys.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(f, left+1))
	if err != nil {
		return "", n, fmt.Errorf("read %s: %w", path, err)
	}
	if n > left {
		return "", n, fmt.Errorf("more than %d bytes", maxContractBytes)
	}
	return hex.EncodeToString(h.Sum(nil)), n, nil
}

// Paths are the files of the snapshot, inside .warden, sorted.
func (s Snapshot) Paths() []string { return slices.Sorted(maps.Keys(s.digests)) }

// Diff lists what is different in t, each as "path modified", "path added" or
// "path removed", sorted by path; nil when nothing is.
func (s Snapshot) Diff(t Snapshot) []string {
	var out []string
	for path, before := range s.digests {
		switch after, ok := t.digests[path]; {
		case !ok:
			out = append(out, path+" removed")
		case after != before:
			out = append(out, path+" modified")
		}
	}
	for path := range t.digests {
		if _, ok := s.digests[path]; !ok {
			out = append(out, path+" added")
		}
	}
	slices.Sort(out)
	return out
}

// SHA256 is the digest of the whole contract, in hex.
func (s Snapshot) SHA256() string {
	var b strings.Builder
	for _, path := range s.Paths() {
		b.WriteString(path + "\x00" + s.digests[path] + "\x00")
	}
	return hexSum([]byte(b.String()))
}

// AcceptanceSHA256 is the digest of what a candidate is judged by: the contract,
// with the task's own file replaced by the fields that judge it. Changing only
// budgets, fix attempts or the timeout of the task leaves it as it was.
func AcceptanceSHA256(s Snapshot, taskPath string, t Task) string {
	judged, err := json.Marshal(struct {
		ID         string    `json:"id"`
		Goal       string    `json:"goal"`
		NonGoals   []string  `json:"non_goals"`
		Risk       string    `json:"risk"`
		BaseRef    string    `json:"base_ref"`
		Scope      []string  `json:"scope_paths"`
		Baseline   []string  `json:"baseline_commands"`
		Acceptance []string  `json:"acceptance_commands"`
		Reproduce  []string  `json:"reproduce,omitempty"`
		Authority  Authority `json:"authority"`
		Visual     Visual    `json:"visual_qa"`
		Assurance  string    `json:"review_assurance,omitempty"`
	}{t.ID, t.Goal, t.NonGoals, t.Risk, t.BaseRef, t.Scope, t.Baseline, t.Acceptance, t.Reproduce, t.Authority, t.Visual, weaker(t.Assurance)})
	if err != nil {
		judged = []byte(err.Error()) // strings and booleans always encode
	}
	with := maps.Clone(s.digests)
	if with == nil {
		with = map[string]string{}
	}
	with[taskPath] = hexSum(judged)
	return Snapshot{digests: with}.SHA256()
}

// weaker is an assurance that is not the usual one.
func weaker(assurance string) string {
	if assurance == Independent {
		return ""
	}
	return assurance
}

func hexSum(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
