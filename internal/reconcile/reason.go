package reconcile

// Reason says why. The set is closed; every value is listed in spec/SPEC.md.
type Reason string

// Why something is done.
const (
	LabelPutOn       Reason = "label_put_on"
	RejectionCarried Reason = "rejection_carried"
	RetryAsked       Reason = "retry_asked"
	SwitchAsked      Reason = "switch_asked"
	RecheckAsked     Reason = "recheck_asked"
	LeaseExpired     Reason = "lease_expired"
	StoppedRunLeft   Reason = "stopped_run_left"
	PersonAccepted   Reason = "person_accepted"
	PersonRejected   Reason = "person_rejected"
	PersonAnswered   Reason = "person_answered"
	PullClosed       Reason = "pull_request_closed"
	PullMerged       Reason = "pull_request_merged"
	ToBeShown        Reason = "to_be_shown"
	AcceptHolds      Reason = "accept_holds"
	AcceptVoid       Reason = "accept_void"
	StopAsked        Reason = "stop_asked"
	IssueClosed      Reason = "issue_closed"
	LabelOff         Reason = "label_off"
)

// Why an accept no longer holds.
const (
	HeadMoved         Reason = "head_moved"
	ApprovalDismissed Reason = "approval_dismissed"
	RefusedLater      Reason = "refused_later"
)

// What is said to a person, once, where they will see it.
const (
	TextEdited         Reason = "text_edited_after_label"
	EditsUnknown       Reason = "edits_unknown"
	NotPermitted       Reason = "not_permitted"
	RunLimit           Reason = "run_limit_reached"
	TextNeeded         Reason = "rejection_text_needed"
	StaleApproval      Reason = "stale_approval"
	GateExpired        Reason = "gate_expired"
	StaleRefusal       Reason = "stale_refusal"
	Outranked          Reason = "outranked_by_refusal"
	SelfAcceptOff      Reason = "self_accept_off"
	ReviewEdited       Reason = "review_edited"
	CommentEdited      Reason = "comment_edited"
	WrongCandidate     Reason = "wrong_candidate"
	TooEarly           Reason = "answer_before_question"
	NotAnOption        Reason = "not_an_option"
	NothingWaiting     Reason = "nothing_waiting"
	NoRunInProgress    Reason = "no_run_in_progress"
	StopNoted          Reason = "stop_noted"
	UnknownCommand     Reason = "unknown_command"
	MalformedCommand   Reason = "malformed_command"
	RecheckNoPull      Reason = "recheck_no_pull_request"
	RecheckUnmoved     Reason = "recheck_head_unchanged"
	HelpAsked          Reason = "help_asked"
	StatusAsked        Reason = "status_asked"
	MoreApprovals      Reason = "more_approvals_needed"
	MergedUnaccepted   Reason = "merged_without_accept"
	MarkReadyForbidden Reason = "mark_ready_forbidden"
	MarkDraftForbidden Reason = "mark_draft_forbidden"
	PushRefused        Reason = "push_refused"
)

// Why nothing happens.
const (
	AllDone            Reason = "all_done"
	ObservationPartial Reason = "observation_partial"
	RunInProgress      Reason = "run_in_progress"
	LabelOnPull        Reason = "label_on_pull_request"
	OtherLabel         Reason = "other_label"
	OwnAccount         Reason = "own_account"
	BotAccount         Reason = "bot_account"
	UnknownActor       Reason = "unknown_actor"
	PermissionUnknown  Reason = "permission_unknown"
	NoLabelEvent       Reason = "label_event_missing"
	NoCommand          Reason = "no_command"
	AnswerLimit        Reason = "answer_limit_reached"
	AlreadyHandled     Reason = "already_handled"
	CommentedOnly      Reason = "review_without_verdict"
)

// Said returns the reasons that an Ask can carry.
func Said() []Reason {
	return []Reason{
		TextEdited, EditsUnknown, NotPermitted, RunLimit, TextNeeded, StaleApproval, GateExpired, StaleRefusal, Outranked,
		SelfAcceptOff, ReviewEdited, CommentEdited, WrongCandidate, TooEarly, NotAnOption,
		NothingWaiting, NoRunInProgress, StopNoted, UnknownCommand, MalformedCommand, RecheckNoPull, RecheckUnmoved,
		HelpAsked, StatusAsked, MoreApprovals, MergedUnaccepted, MarkReadyForbidden,
		MarkDraftForbidden, PushRefused, HeadMoved, ApprovalDismissed, IssueClosed, LabelOff,
	}
}
