package role

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
)

// Bounds of what a role may hand in.
const (
	maxTaken     = 64
	maxTakenSize = 16 << 20 // bytes of one picture
)

// looked holds a verdict on pictures against the pictures. One that names none, or one
// that is not there, is no evidence: not a judgement of the work, and not mended by it.
func (s *dispatch) looked(prep *prepared, artifact json.RawMessage) (outcome.Code, string) {
	var answer struct {
		Seen  []string `json:"images_seen"`
		Taken []string `json:"screenshots_taken"`
	}
	if err := json.Unmarshal(artifact, &answer); err != nil {
		return outcome.VisualNoEvidence, "the answer's list of pictures does not read: " + err.Error()
	}
	if prep.gaze.channel == byItself {
		return s.taken(prep.gaze.dir, answer.Taken)
	}
	if len(answer.Seen) == 0 {
		return outcome.VisualNoEvidence, "the answer names in images_seen no picture that it looked at"
	}
	for _, name := range answer.Seen {
		f, ok := prep.gaze.find(name)
		if !ok {
			return outcome.VisualNoEvidence, fmt.Sprintf("the answer says it saw %q, which was not among the %d pictures that it was given", clip(name, 200), len(prep.gaze.pictures))
		}
		if !slices.Contains(s.record.Vision.Seen, f.Path) {
			s.record.Vision.Seen = append(s.record.Vision.Seen, f.Path)
		}
	}
	return outcome.OK, ""
}

// find looks a picture up by the names that a model was given for it, or by the last
// part of one where no two pictures share that.
func (g *gaze) find(name string) (ledger.File, bool) {
	name = strings.TrimSpace(name)
	var found []ledger.File
	for i, f := range g.pictures {
		if name == g.files[i] || name == pictureName(f) || name == f.Path {
			return f, true
		}
		if name == path.Base(f.Path) {
			found = append(found, f)
		}
	}
	if len(found) == 1 {
		return found[0], true
	}
	return ledger.File{}, false
}

// taken makes evidence of the pictures that a role took. Each is read where the role
// was told to put it, through no link, and kept with its hash.
func (s *dispatch) taken(dir string, names []string) (outcome.Code, string) {
	switch {
	case len(names) == 0:
		return outcome.VisualNoEvidence, "the answer names in screenshots_taken no picture that it took"
	case len(names) > maxTaken:
		return outcome.VisualNoEvidence, fmt.Sprintf("the answer names %d pictures, more than the %d that are kept", len(names), maxTaken)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return outcome.VisualNoEvidence, "open the directory of the pictures: " + err.Error()
	}
	defer root.Close()
	for i, name := range names {
		data, err := picture(root, dir, name)
		if err != nil {
			return outcome.VisualNoEvidence, fmt.Sprintf("picture %q: %v", clip(name, 200), err)
		}
		f, err := s.write(fmt.Sprintf("%s/screenshots/taken-%02d.png", s.req.EvidenceDir, len(s.record.Vision.Taken)+1), data)
		if err != nil {
			return outcome.UnexpectedError, fmt.Sprintf("keep picture %d: %v", i+1, err)
		}
		s.record.Vision.Taken = append(s.record.Vision.Taken, f.Path)
	}
	return outcome.OK, ""
}

// signature is how a PNG file begins.
const signature = "\x89PNG\r\n\x1a\n"

// picture reads one picture. The errors speak of the file as the role named it.
func picture(root *os.Root, dir, name string) ([]byte, error) {
	rel := name
	if filepath.IsAbs(name) {
		var err error
		if rel, err = filepath.Rel(dir, name); err != nil {
			return nil, errors.New("it is outside of the directory for pictures")
		}
	}
	if !filepath.IsLocal(rel) {
		return nil, errors.New("it is outside of the directory for pictures")
	}
	info, err := root.Lstat(rel)
	switch {
	case err != nil:
		return nil, errors.New("it is not there")
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	case info.Size() == 0:
		return nil, errors.New("it is empty")
	case info.Size() > maxTakenSize:
		return nil, fmt.Errorf("it is larger than %d bytes", maxTakenSize)
	}
	f, err := root.Open(rel)
	if err != nil {
		return nil, errors.New("it cannot be opened")
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxTakenSize))
	if err != nil {
		return nil, errors.New("it cannot be read")
	}
	if !bytes.HasPrefix(data, []byte(signature)) {
		return nil, errors.New("it is no PNG file")
	}
	return data, nil
}
