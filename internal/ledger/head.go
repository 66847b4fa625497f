package ledger

import (
	"time"

	"github.com/tolboy/warden/internal/usage"
)

// SchemaVersion is the version of run.json and of the lines that this code
// writes.
const SchemaVersion = 1

// RunHead is run.json: what the run was reserved for. It is written once and
// never changes; the first line of the chain names its hash.
type RunHead struct {
	SchemaVersion    int       `json:"schema_version"`
	RunID            string    `json:"run_id"`
	TaskID           string    `json:"task_id"`
	ReservedAt       time.Time `json:"reserved_at"`
	Owner            Owner     `json:"owner"`
	Forge            *ForgeRef `json:"forge,omitempty"`
	BaseCommit       string    `json:"base_commit"`
	StartCommit      string    `json:"start_commit"`
	Branch           string    `json:"branch,omitempty"`
	GoalSHA256       string    `json:"goal_sha256"`
	TaskSHA256       string    `json:"task_sha256"`
	ContractSHA256   string    `json:"contract_sha256"`
	AcceptanceSHA256 string    `json:"acceptance_sha256,omitempty"`
	PolicySHA256     string    `json:"policy_sha256"`
	Continues        string    `json:"continues,omitempty"`
	WardenVersion    string    `json:"warden_version"`
	Confinement      string    `json:"confinement"`
	DryRun           bool      `json:"dry_run"`
	Chain            Chain     `json:"chain"`
}

// Owner is the process that reserved the run.
type Owner struct {
	Kind    string    `json:"kind"` // "cli", "action" or "serve"
	ID      string    `json:"id"`   // the job, worker or user that it ran as
	Host    string    `json:"host"`
	PID     int       `json:"pid"`
	Started time.Time `json:"started"`
	// Place and Birth tell on this machine whether the process is still there; zero
	// where it is asked for elsewhere.
	Place *Place `json:"place,omitempty"`
	Birth string `json:"birth,omitempty"` // of the process; its number may be used again
}

// Place is where process numbers have a meaning.
type Place struct {
	Machine string `json:"machine"`
	Boot    string `json:"boot,omitempty"`  // of the machine, each another
	Space   string `json:"space,omitempty"` // of process numbers, where there are several
}

// ForgeRef is what on a forge the run answers.
type ForgeRef struct {
	Kind         string `json:"kind,omitempty"` // "github" or "gitlab"
	Host         string `json:"host,omitempty"`
	Repo         string `json:"repo"` // "owner/name"
	Issue        int    `json:"issue"`
	LabelEventID int64  `json:"label_event_id,omitempty"`
	Actor        Actor  `json:"actor"`
	Trigger      string `json:"trigger"` // "label", "review", "comment" or "command"
	TriggerID    int64  `json:"trigger_id,omitempty"`
	Recheck      bool   `json:"recheck,omitempty"` // the run judges what a person pushed
}

// Actor is an account. ID is the identity where a forge is involved; a login
// can be renamed and reused.
type Actor struct {
	ID    int64  `json:"id,omitempty"`
	Login string `json:"login"`
	Bot   bool   `json:"bot,omitempty"`
}

// Chain is what the runs that this one continues have spent already. Its zero
// value is a first run.
type Chain struct {
	Runs        int          `json:"runs"`
	RoleRuns    int          `json:"role_runs"`
	CostUSD     usage.Amount `json:"cost_usd"`
	Unpriced    int          `json:"unpriced_calls"`
	FixAttempts int          `json:"fix_attempts"`
	// ElapsedMillis is the time of work; what people took is not in it.
	ElapsedMillis int64 `json:"elapsed_millis,omitempty"`
	// PromisedUSD is what the unpriced calls can have cost at most, as far as their
	// profiles promised it; Unbounded are those of which nobody did.
	PromisedUSD float64 `json:"promised_usd,omitempty"`
	Unbounded   int     `json:"unbounded_calls,omitempty"`
}
