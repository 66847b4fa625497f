package runner

import (
	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/progress"
)

// Narrate turns the engine's notices into narration.
func Narrate(n *progress.Narrator) func(engine.Notice) {
	return func(e engine.Notice) {
		switch e.Kind {
		case engine.NoticeStage:
			n.Tell(progress.StageStarted{Index: e.Index, Total: e.Total, Name: e.Stage, What: e.Text})
		case engine.NoticeDispatch:
			n.Tell(progress.Dispatch{Role: e.Text, Profile: e.Profile, Vendor: e.Vendor, Model: e.Model, Limit: e.Limit})
		case engine.NoticeResult:
			n.Tell(progress.StageEnded{OK: e.OK, Code: e.Code, Elapsed: e.Duration, Usage: e.Usage, Verdict: e.Verdict, Role: e.Stage, Blocking: e.Blocking})
		case engine.NoticeFix:
			n.Tell(progress.FixRound{Round: e.Attempt, Rounds: e.Max, From: e.Stage, To: e.Profile})
		case engine.NoticeReused:
			n.Tell(progress.StageReused{Index: e.Index, Total: e.Total, Name: e.Stage, From: e.Text})
		case engine.NoticeNote:
			n.Tell(progress.Note{Text: e.Text})
		}
	}
}
