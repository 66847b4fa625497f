package ledger

// RunPrepared is what a preparation came to: the contract that the planner's answer
// was compiled into, and the arithmetic of the run that is to follow.
type RunPrepared struct {
	TaskID         string   `json:"task_id"`
	TaskFile       string   `json:"task_file"` // relative to the project
	TaskExisted    bool     `json:"task_existed"`
	TaskSHA256     string   `json:"task_sha256"`
	ContractSHA256 string   `json:"contract_sha256"`
	Risk           string   `json:"risk"`
	Scope          []string `json:"scope_paths"`
	Acceptance     []string `json:"acceptance_commands"`
	Artifact       string   `json:"artifact_path"`
	GoalAddition   string   `json:"goal_addition,omitempty"` // what the planner would add; no part of the goal
	BudgetPlan     any      `json:"budget_plan,omitempty"`   // of the run that follows at once; absent for a draft alone
	Forecast
}

// Forecast compares what was reserved before a planner was asked with what its
// contract needs. Both stand, so that no record of a run rests on the guess.
type Forecast struct {
	PreparedBy    string `json:"prepared_by,omitempty"` // the preparation that drafted the task
	AtReservation any    `json:"budget_plan_at_reservation,omitempty"`
	Matched       *bool  `json:"reservation_matched_contract,omitempty"`
}
