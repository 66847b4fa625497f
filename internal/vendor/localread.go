package vendor

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/usage"
)

// Codes of a model server that have no counterpart with a program.
const (
	localUnreachable = outcome.RoleLocalUnreachable
	localKeyMissing  = outcome.RoleLocalKeyMissing
)

// localName is the dialect of a model server.
const localName = "chat"

// planLocal fills in a call of a model server. There is no program to find and no
// process to confine.
func planLocal(c Call) (prepared, error) {
	if !utf8.Valid(c.Prompt) {
		return prepared{}, &Refusal{outcome.RolePromptUndeliverable, fmt.Sprintf("profile %q: the prompt is not UTF-8, and a request would carry something else", c.Profile.Name)}
	}
	q, no := ask(c.Profile, string(c.Prompt), c.Env)
	if no != nil {
		return prepared{}, no
	}
	shown := []string{http.MethodPost, q.url, "model=" + c.Profile.Model, shownPrompt}
	return prepared{command: command{shown: shown}, ask: q}, nil
}

// serve makes a call of a model server and reads what came back.
func (r *Runner) serve(ctx context.Context, c Call, q *question, out Result) (Result, error) {
	limit := c.limit()
	inner, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	began := r.now()
	got, err := r.send(inner, q)
	out.Duration = r.now().Sub(began)
	out.Dialect, out.ModelPassed, out.Stdout = localName, true, got.body
	var end ending
	switch late := inner.Err(); {
	case ctx.Err() != nil:
		end = ending{code: outcome.Interrupted, detail: "the call was interrupted"}
	case late != nil && (err != nil || got.cut != ""):
		out.TimedOut = true
		end = ending{code: outcome.RoleTimeout, detail: fmt.Sprintf("the model server did not answer within %s", limit)}
	case err != nil:
		end = ending{code: localUnreachable, detail: "the model server could not be reached: " + cut(err.Error(), maxMessage)}
	default:
		end = answered(got, c.Profile.QuotaSignatures, &out)
	}
	out.Code, out.Detail, out.Quota = end.code, end.detail, end.quota
	if out.Code != outcome.OK {
		out.StdoutTail = tail(out.Stdout, maxTail)
	}
	return out, nil
}

// Ask puts a question to the model server of a local profile and returns its
// words, for a probe. The key that the profile names is taken from the
// environment and is in nothing that is returned. The error is a *Refusal where
// the call could not be made.
func (r *Runner) Ask(ctx context.Context, c Call) (said string, raw []byte, err error) {
	p, err := planLocal(c)
	if err != nil {
		return "", nil, err
	}
	inner, cancel := context.WithTimeout(ctx, c.limit())
	defer cancel()
	got, err := r.send(inner, p.ask)
	if err != nil {
		return "", nil, err
	}
	var out Result
	end := answered(got, c.Profile.QuotaSignatures, &out)
	if end.code != outcome.OK && end.code != outcome.RoleArtifactUnparseable {
		return "", got.body, errors.New(end.detail)
	}
	o, _ := parseObject(got.body)
	return choice(o).sub("message").text("content"), got.body, nil
}

// answered decides what an answer comes to: what the server says of a failure
// before anything else, then the model's words.
func answered(got served, signatures []string, out *Result) ending {
	o, isObject := parseObject(got.body)
	if isObject {
		out.Usage, out.Model, out.SessionID = accountOf(o), o.text("model"), o.text("id")
	}
	switch {
	case got.status >= 300 && got.status < 400:
		return ending{code: outcome.RoleLocalHTTPError, detail: fmt.Sprintf("the model server answered with a redirect (HTTP %d), which is not followed: name the address that it leads to", got.status)}
	case got.status < 200 || got.status >= 300 || o.has("error"):
		return refusedBy(got, o, signatures)
	case got.cut != "":
		return ending{code: outcome.RoleLocalUnreadable, detail: got.cut}
	case !isObject:
		return ending{code: outcome.RoleLocalUnreadable, detail: "the model server answered with something that is no JSON object"}
	}
	first := choice(o)
	words := first.sub("message").text("content")
	out.StopReason, out.Usage.Turns = first.text("finish_reason"), usage.Known(1)
	switch {
	case words == "":
		return ending{code: outcome.RoleLocalUnreadable, detail: "the answer of the model server holds no choices[0].message.content" + because(out.StopReason)}
	case out.StopReason == "length":
		// What stands whole in half an answer is a part of it, not the answer.
		return ending{code: outcome.RoleArtifactUnparseable, detail: "the model stopped at its limit of tokens before its answer was whole"}
	}
	if found, ok := Artifact([]byte(words)); ok {
		out.Artifact = found
		return ending{code: outcome.OK}
	}
	return ending{code: outcome.RoleArtifactUnparseable, detail: "the model answered without a JSON object that could be the answer" + because(out.StopReason)}
}

// refusedBy classifies a failure that the server reported, by the object it sent
// and by the status. Words outside of an object decide nothing.
func refusedBy(got served, o object, signatures []string) ending {
	f := Failure{Status: got.status, Final: true}
	if o != nil {
		texts, kinds, status := errorTexts(o, 0)
		f.Text, f.Kind = strings.Join(texts, "\n"), strings.Join(kinds, "\n")
		if status >= 400 && (got.status < 400 || got.status == http.StatusInternalServerError) {
			f.Status = status // of a service behind the server
		}
	}
	said := strings.TrimSpace(cut(string(got.body), maxErrorWas))
	if f.Text == "" {
		f.Text = fmt.Sprintf("HTTP %d", got.status)
	}
	detail := fmt.Sprintf("the model server answered HTTP %d", got.status)
	if said != "" {
		detail += ": " + said
	}
	end := failed(Envelope{Dialect: localName, Failures: []Failure{f}}, 0, nil, signatures, outcome.RoleLocalHTTPError, detail)
	if end.quota != nil && end.quota.Kind == RateLimit && got.wait > end.quota.Wait {
		end.quota.Wait = got.wait
	}
	return end
}

// choice is the first of an answer's choices.
func choice(o object) object {
	list := o.list("choices")
	if len(list) == 0 {
		return nil
	}
	first, _ := parseObject(list[0])
	return first
}

// accountOf reads what the call used. A price is read where routers put one; none
// is computed.
func accountOf(o object) usage.Call {
	u := o.sub("usage")
	return usage.Call{
		CostUSD: first(u.amount("cost", "total_cost", "cost_usd"), o.amount("total_cost_usd", "cost_usd")),
		Input:   u.amount("prompt_tokens", "input_tokens"),
		Output:  u.amount("completion_tokens", "output_tokens"),
		Total:   u.amount("total_tokens"),
	}
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return fmt.Sprintf(" (finish reason %q)", cut(reason, 80))
}
