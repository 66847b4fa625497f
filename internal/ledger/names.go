package ledger

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// The files of a run that are not evidence of a stage.
const (
	fileHead     = "run.json"
	fileEvidence = "evidence.jsonl"
	fileTaskRun  = "task-run.json"
	fileReport   = "report.json"
	fileDecision = "decision.json"
)

// MaxRunID is the longest run id, in bytes.
const MaxRunID = 60

var (
	runID    = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
	stageDir = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]*-[0-9]{1,4}$`)
	segment  = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._@+=,-]*$`)
)

// CheckRunID refuses a word that cannot be a run id: it becomes a directory, the
// last part of a git ref, and the first part of the names of stage directories,
// which a double hyphen divides. The error wraps ErrUnsafeRunID.
func CheckRunID(id string) error {
	why := ""
	switch {
	case id == "":
		why = "it is empty"
	case len(id) > MaxRunID:
		why = fmt.Sprintf("it is longer than %d characters", MaxRunID)
	case !runID.MatchString(id):
		why = "it has characters other than letters, digits, '.', '_' and '-'"
	case strings.Contains(id, ".."):
		why = "it has two dots in a row"
	case strings.Contains(id, "--"):
		why = "it has two hyphens in a row"
	case strings.HasSuffix(id, "."), strings.HasSuffix(id, ".lock"):
		why = "git refuses such an ending in a ref"
	}
	if why != "" {
		return fmt.Errorf("run id %q: %w: %s", clip(id), ErrUnsafeRunID, why)
	}
	return nil
}

// StageDir returns the name of the directory of one execution of a stage. The
// name is brought into form: small letters and digits, hyphens between.
func StageDir(run, stage string, attempt int) string {
	return fmt.Sprintf("%s--%s-%d", run, slug(stage), attempt)
}

// IsStageDir reports whether StageDir makes such a name, behind the run and the double
// hyphen.
func IsStageDir(name string) bool { return stageDir.MatchString(name) }

func slug(s string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(s) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	if out := strings.Trim(b.String(), "-"); out != "" {
		return out
	}
	return "stage"
}

// checkPath refuses a name that is not a file of the run's evidence.
func checkPath(run, rel string) error {
	bad := func(why string) error {
		return fmt.Errorf("file %q of run %q: %w: %s", clip(rel), run, ErrUnsafePath, why)
	}
	if len(rel) > 400 || !fs.ValidPath(rel) {
		return bad("it is not a plain relative path")
	}
	parts := strings.Split(rel, "/")
	if len(parts) < 2 {
		return bad("it is not inside a directory of the run")
	}
	if parts[0] != run {
		rest, ok := strings.CutPrefix(parts[0], run+"--")
		if !ok || !stageDir.MatchString(rest) {
			return bad("it is not inside a directory of the run")
		}
	}
	for _, p := range parts[1:] {
		if !segment.MatchString(p) {
			return bad("a part of it has a leading dot or unusual characters")
		}
	}
	if parts[0] == run && len(parts) == 2 && reserved(parts[1]) {
		return bad("the name is reserved")
	}
	return nil
}

// reserved reports whether a file directly in the run's directory has a meaning
// of its own.
func reserved(name string) bool {
	switch name {
	case fileHead, fileEvidence, fileTaskRun, fileReport, fileDecision, "narration.log", "loop.json":
		return true
	}
	return strings.HasSuffix(name, ".lock")
}

// isProjection reports whether a file can be computed from the chain.
func isProjection(name string) bool {
	return name == fileTaskRun || name == fileReport || name == fileDecision
}

// withholdable reports whether a file may be missing from a published ledger:
// transcripts and pictures stay local unless the project says otherwise.
func withholdable(rel string) bool {
	for _, p := range strings.Split(path.Dir(rel), "/")[1:] {
		switch p {
		case "raw", "prompts", "context", "screenshots":
			return true
		}
	}
	return false
}

func clip(s string) string {
	if len(s) > 100 {
		return s[:100] + "..."
	}
	return s
}
