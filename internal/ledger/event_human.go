package ledger

import (
	"time"

	"github.com/tolboy/warden/internal/outcome"
)

// DecisionPending is the question that a person is asked.
type DecisionPending struct {
	Kind        string   `json:"kind"` // "success", "failure", "failover", "contract_change" or "preparation"
	Reason      string   `json:"reason"`
	Options     []string `json:"options"`
	Fingerprint string   `json:"candidate_fingerprint,omitempty"`
	Commit      string   `json:"candidate_commit,omitempty"`
	SummaryPath string   `json:"summary_path"`
	SealedHead  string   `json:"sealed_head"`
	// ExpiresAt is when no answer that permits is taken any more, unless the person
	// says that they know; zero is never.
	ExpiresAt time.Time `json:"expires_at,omitzero"`
}

// HumanDecision is a person's answer. It is never changed.
type HumanDecision struct {
	Kind        string    `json:"kind"`
	Decision    string    `json:"decision"`
	Actor       Actor     `json:"actor"`
	Source      string    `json:"source"` // "cli", "review", "comment", "label", "close" or "automatic"
	SourceID    int64     `json:"source_id,omitempty"`
	SourceURL   string    `json:"source_url,omitempty"`
	Note        string    `json:"note,omitempty"`
	NoteSHA256  string    `json:"note_sha256,omitempty"`
	Fingerprint string    `json:"candidate_fingerprint,omitempty"` // as the answer named it
	Commit      string    `json:"candidate_commit,omitempty"`
	SealedHead  string    `json:"sealed_head"`
	CreatedAt   time.Time `json:"created_at"` // when the question was put
	AnsweredAt  time.Time `json:"answered_at,omitzero"`
	DecidedAt   time.Time `json:"decided_at"`
	WaitMillis  int64     `json:"wait_millis"`
	// AcknowledgedExpired says that the person knew that the question had expired.
	AcknowledgedExpired bool `json:"acknowledged_expired,omitempty"`
	Lands               bool `json:"lands"` // always false: no decision merges
}

// DecisionVoid says that an answer no longer holds, and that the question is
// open again. The answer itself stays in the chain.
type DecisionVoid struct {
	Decision   string `json:"decision"`
	LineSHA256 string `json:"line_sha256"` // of the answer
	Reason     string `json:"reason"`
	Actor      *Actor `json:"actor,omitempty"`
	Commit     string `json:"head_commit,omitempty"`
}

// Intent is written before something is done outside. Key is run and purpose;
// an intent without a Done of the same key may or may not have taken effect.
type Intent struct {
	Key     string `json:"key"`
	Purpose string `json:"purpose"` // "push_branch", "open_pull_request", ...
	Target  string `json:"target,omitempty"`
	Detail  string `json:"detail,omitempty"`
	SHA256  string `json:"sha256,omitempty"` // of the text that is to be written
	Expect  string `json:"expect,omitempty"` // old value of a ref, for compare and swap
	Attempt int    `json:"attempt,omitempty"`
}

// Done is what came of an intent.
type Done struct {
	Key     string       `json:"key"`
	Purpose string       `json:"purpose"`
	OK      bool         `json:"ok"`
	Code    outcome.Code `json:"code,omitempty"`
	Detail  string       `json:"detail,omitempty"`
	ID      int64        `json:"id,omitempty"` // comment, check or review request
	Number  int          `json:"number,omitempty"`
	NodeID  string       `json:"node_id,omitempty"`
	URL     string       `json:"url,omitempty"`
	Ref     string       `json:"ref,omitempty"`
	Commit  string       `json:"commit,omitempty"`
	Found   bool         `json:"found,omitempty"` // it was there already, from an earlier try
}

// Note is a remark of the engine for whoever reads the ledger.
type Note struct {
	About string `json:"about"`
	Text  string `json:"text"`
}

// Recovered says that a crash had left the start of a line, and that it was
// dropped.
type Recovered struct {
	DroppedBytes int64 `json:"dropped_bytes"`
}
