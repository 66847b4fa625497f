package vendor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tolboy/warden/internal/outcome"
)

// wait looks into the mailbox of the Run until the worker has said how it ended.
// Only worker_done of this very dispatch, and Orca's own account of it, end a call
// well. A worker that asks a person is waited for: the answer is given in Orca. What it
// asked is its end only when the time of the call is over.
func (o *orca) wait(ctx context.Context, out *Result) ending {
	delivery, missed, asked := "", 0, ending{code: outcome.RoleOrcaLifecycle, detail: "the wait for the worker ended"}
	for ctx.Err() == nil {
		args := []string{"orchestration", "check", "--wait", "--types", "worker_done,escalation,question,decision_gate", "--run", o.ids.Run, "--timeout-ms", fmt.Sprint(orcaWait.Milliseconds())}
		if delivery != "" {
			args = append(args, "--ack", delivery)
		}
		got, why := o.ask(ctx, orcaWait+orcaCommand, args...)
		if why != "" {
			if missed++; missed >= orcaMissed {
				return ending{code: outcome.RoleOrcaLifecycle, detail: "Orca does not say how the worker does: " + why}
			}
			continue
		}
		missed = 0
		if end, done := o.read(got.list("messages"), out); done {
			o.acknowledge(ctx, got.text("deliveryId")) // or the same words come again
			if delivery = ""; end.code == outcome.RoleHumanInput {
				asked = end
				continue
			}
			return o.confirm(ctx, end, out)
		}
		delivery = got.text("deliveryId")
	}
	return asked
}

// read looks for the word of this dispatch. What other workers say is passed over. A
// worker that has ended waits for nobody, whatever it asked before in the same
// delivery.
func (o *orca) read(messages []json.RawMessage, out *Result) (ending, bool) {
	var asks *ending
	for _, raw := range messages {
		m, _ := parseObject(raw)
		payload := m.sub("payload")
		if payload == nil {
			payload, _ = parseObject([]byte(m.text("payload")))
		}
		if payload.text("dispatchId") != o.ids.Dispatch {
			continue
		}
		said := cut(strings.TrimSpace(m.text("subject")+" "+m.text("body")), maxMessage)
		switch kind := m.kind(); {
		case kind == "question" || kind == "decision_gate":
			asks = &ending{code: outcome.RoleHumanInput, detail: "the worker asks a person: " + said}
		case kind == "escalation", kind == "worker_done" && payload.text("outcome") != "succeeded":
			return ending{code: outcome.RoleOrcaReported, detail: "the worker reports a failure: " + said}, true
		case kind == "worker_done":
			if found, ok := Artifact([]byte(m.text("body"))); ok {
				out.Artifact = found
				return ending{code: outcome.OK}, true
			}
			return ending{code: outcome.RoleArtifactUnparseable, detail: "the worker ended without a JSON object that could be the answer: " + said}, true
		}
	}
	if asks != nil {
		return *asks, true
	}
	return ending{}, false
}

// confirm holds a good end against Orca's account of the dispatch.
func (o *orca) confirm(ctx context.Context, end ending, out *Result) ending {
	if end.code != outcome.OK {
		return end
	}
	shown, why := o.ask(ctx, orcaCommand, "orchestration", "dispatch-show", "--task", o.ids.Task)
	dispatch := shown.sub("dispatch")
	if dispatch.text("id") == o.ids.Dispatch && dispatch.text("status") == "completed" {
		return end
	}
	out.Artifact = nil
	return ending{code: outcome.RoleOrcaLifecycle, detail: fmt.Sprintf("the worker says that it is done, and Orca calls its dispatch %q: %s", dispatch.text("status"), why)}
}

func (o *orca) acknowledge(ctx context.Context, delivery string) {
	if delivery != "" {
		_, _ = o.ask(ctx, orcaCommand, "orchestration", "check", "--run", o.ids.Run, "--ack", delivery)
	}
}

// settle releases a worker that is done, keeps one that waits for a person, and stops
// one that may be at work, also when the call's own time is over. What could not be done is said.
func (o *orca) settle(ctx context.Context, end ending) ending {
	if o.ids.Dispatch == "" {
		return end
	}
	if end.code == outcome.RoleHumanInput && !errors.Is(ctx.Err(), context.Canceled) {
		end.detail += "; the worker " + o.ids.Dispatch + " is kept in Orca, and waits"
		return end
	}
	verb := "worker-stop"
	if end.code == outcome.OK || end.code == outcome.RoleArtifactUnparseable {
		verb = "worker-release"
	}
	lasting, done := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer done()
	if _, why := o.ask(lasting, 30*time.Second, "orchestration", verb, "--dispatch", o.ids.Dispatch); why != "" {
		end.detail = strings.TrimPrefix(end.detail+"; "+verb+" of "+o.ids.Dispatch+" failed, so its terminal may be at work still: "+why, "; ")
		if end.code != outcome.OK {
			return end
		}
		end.code = outcome.RoleOrcaLifecycle
	}
	return end
}
