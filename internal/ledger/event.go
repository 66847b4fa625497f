package ledger

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// The types of event. The set is closed: Append refuses any other word.
const (
	TypeRunReserved       = "run_reserved"
	TypeRunPrepared       = "run_prepared"
	TypeStageStarted      = "stage_started"
	TypeStageSkipped      = "stage_skipped"
	TypeVendorCallStarted = "vendor_call_started"
	TypeRoleRun           = "role_run"
	TypeRoleFailover      = "role_failover"
	TypeMachineGate       = "machine_gate"
	TypeBaselineGate      = "baseline_gate"
	TypeReproductionGate  = "reproduction_gate"
	TypeVisualRun         = "visual_qa"
	TypeFixRound          = "fix_round"
	TypeInterrupted       = "interrupted"
	TypeReadyForHuman     = "ready_for_human"
	TypeStopped           = "stopped"
	TypeDecisionPending   = "human_decision_pending"
	TypeHumanDecision     = "human_decision"
	TypeDecisionVoid      = "human_decision_void"
	TypeIntent            = "intent"
	TypeDone              = "done"
	TypeNote              = "note"
	TypeRecovered         = "recovered"
)

// payload returns a fresh payload of the type, or nil for a word that is none.
func payload(typ string) any {
	switch typ {
	case TypeRunReserved:
		return new(RunReserved)
	case TypeRunPrepared:
		return new(RunPrepared)
	case TypeStageStarted:
		return new(StageStarted)
	case TypeStageSkipped:
		return new(StageSkipped)
	case TypeVendorCallStarted:
		return new(VendorCallStarted)
	case TypeRoleRun:
		return new(RoleRun)
	case TypeRoleFailover:
		return new(RoleFailover)
	case TypeMachineGate, TypeBaselineGate, TypeReproductionGate:
		return new(GateRun)
	case TypeVisualRun:
		return new(VisualRun)
	case TypeFixRound:
		return new(FixRound)
	case TypeInterrupted:
		return new(Interrupted)
	case TypeReadyForHuman, TypeStopped:
		return new(Ending)
	}
	return gatePayload(typ)
}

// gatePayload covers what may follow the seal.
func gatePayload(typ string) any {
	switch typ {
	case TypeDecisionPending:
		return new(DecisionPending)
	case TypeHumanDecision:
		return new(HumanDecision)
	case TypeDecisionVoid:
		return new(DecisionVoid)
	case TypeIntent:
		return new(Intent)
	case TypeDone:
		return new(Done)
	case TypeNote:
		return new(Note)
	case TypeRecovered:
		return new(Recovered)
	}
	return nil
}

// Seals reports whether an event of the type ends the work of a run. After it
// only decisions and publication follow.
func Seals(typ string) bool { return typ == TypeReadyForHuman || typ == TypeStopped }

// followsSeal reports whether the type may stand after the seal.
func followsSeal(typ string) bool { return gatePayload(typ) != nil }

// Types returns every type of event, sorted.
func Types() []string {
	all := []string{
		TypeRunReserved, TypeRunPrepared, TypeStageStarted, TypeStageSkipped, TypeVendorCallStarted, TypeRoleRun,
		TypeRoleFailover, TypeMachineGate, TypeBaselineGate, TypeReproductionGate, TypeVisualRun, TypeFixRound,
		TypeInterrupted, TypeReadyForHuman, TypeStopped, TypeDecisionPending, TypeHumanDecision,
		TypeDecisionVoid, TypeIntent, TypeDone, TypeNote, TypeRecovered,
	}
	slices.Sort(all)
	return all
}

// Payload decodes the data of the line into the type that its word stands for:
// a pointer to one of the payload structs. A word of a newer version is an error
// that wraps ErrUnknownType.
func (l Line) Payload() (any, error) {
	p := payload(l.Type)
	if p == nil {
		return nil, fmt.Errorf("read line %d: event type %q: %w", l.Seq, l.Type, ErrUnknownType)
	}
	return p, l.Decode(p)
}

// Decode reads the data of the line. Keys that into does not have are passed
// over, so that ledgers of other versions stay readable.
func (l Line) Decode(into any) error {
	if err := json.Unmarshal(l.Data, into); err != nil {
		return fmt.Errorf("data of line %d does not read as %q: %w", l.Seq, l.Type, err)
	}
	return nil
}

// checkData makes sure that what is about to be written reads back as the type
// it is filed under, with nothing left over.
func checkData(typ string, data []byte) error {
	p := payload(typ)
	if p == nil {
		return fmt.Errorf("event type %q: %w", typ, ErrUnknownType)
	}
	dec := json.NewDecoder(strings.NewReader(string(data)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(p); err != nil {
		return fmt.Errorf("data of %q does not read back: %w", typ, err)
	}
	return nil
}
