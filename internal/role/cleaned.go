package role

import (
	"encoding/json"

	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/vendor"
)

// cleaned takes the secrets out of what a vendor says before anybody reads it. The
// evidence is cleaned as it is written, but the words also go to the next vendor, who
// is not to learn this one's key, and to a terminal or the log of a job. The answer is
// in its canonical form here, so that no spelling of a string hides anything. The
// streams stay as they came: they go into the evidence only.
func (s *dispatch) cleaned(res vendor.Result) vendor.Result {
	for _, text := range []*string{&res.Detail, &res.Model, &res.SessionID, &res.StopReason, &res.StdoutTail, &res.StderrTail} {
		*text = s.plain(*text)
	}
	if q := res.Quota; q != nil {
		q := *q
		for _, text := range []*string{&q.Signature, &q.Message, &q.Note} {
			*text = s.plain(*text)
		}
		res.Quota = &q
	}
	if res.Artifact == nil {
		return res
	}
	res.Artifact, _ = s.Evidence.Redact(res.Artifact)
	if res.Code == outcome.OK && !json.Valid(res.Artifact) {
		res.Code, res.Artifact = outcome.RoleArtifactUnparseable, nil
		res.Detail = "the answer is no JSON object any more once the secrets in it are taken out"
	}
	return res
}

// plain is a text without the secrets that are known.
func (s *dispatch) plain(text string) string {
	if text == "" {
		return ""
	}
	out, _ := s.Evidence.Redact([]byte(text))
	return string(out)
}
