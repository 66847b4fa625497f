package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"

	"github.com/tolboy/warden/internal/scenario"
)

// query is what the page's side is asked of an element.
type query struct {
	Act   scenario.Act `json:"act"`
	M     matcher      `json:"m"`
	Value string       `json:"value"`
	Count int          `json:"count"`
	At    point        `json:"at"`
}

type matcher struct {
	By    scenario.By `json:"by"`
	Value string      `json:"value"`
}

type point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// found is what it answers.
type found struct {
	OK      bool
	Why     string
	Element string
	Visible bool
	Count   int
	Hit     string
	X, Y    float64
	Canvas  bool
	// Unsearched are the frames of other origins, of which a miss says nothing.
	Unsearched int
	Set        bool // the field is of a kind that is set and not typed in
}

func queryOf(s scenario.Step) query {
	q := query{Act: s.Act, M: matcher{By: s.Target.By, Value: s.Target.Value}, Value: s.Value, Count: s.Count, At: point(s.At)}
	if s.Act == scenario.WaitFor {
		q.Act = scenario.Visible
	}
	return q
}

// inquire has a function of the page's side look until it is content, at most for
// limit. A selector that the browser cannot parse is an answer, not an error.
func (t *tab) inquire(ctx context.Context, fn string, s scenario.Step, limit time.Duration) (found, error) {
	deadline := time.Now().Add(limit)
	arg, err := json.Marshal(queryOf(s))
	if err != nil {
		return found{}, err
	}
	for {
		var out found
		left := max(0, time.Until(deadline))
		if s.Target.By == scenario.ByRole {
			out, err = t.byRole(ctx, fn, string(arg), s.Target)
		} else {
			err = t.ask(ctx, fmt.Sprintf("warden.%s(%s, %d)", fn, arg, left.Milliseconds()), left, &out)
		}
		var thrown *thrownError
		if errors.As(err, &thrown) {
			return found{Why: unparsed(thrown.text, s.Target)}, nil
		}
		if err != nil && !errors.Is(err, errMoved) {
			return found{}, err
		}
		if err == nil && (out.OK || s.Target.By != scenario.ByRole) || !time.Now().Before(deadline) {
			if err != nil {
				return found{Why: "the page went on to other documents meanwhile"}, nil
			}
			return out, nil
		}
		if err := t.ask(ctx, "warden.changedBy(250)", time.Second, nil); err != nil && !errors.Is(err, errMoved) {
			return found{}, err
		}
	}
}

func unparsed(thrown string, m scenario.Matcher) string {
	if m.By == scenario.ByCSS && strings.Contains(thrown, "is not a valid selector") {
		return "the browser does not take " + cut(m.Value, 100) + " for a selector"
	}
	return "the page could not be asked: " + thrown
}

// roleLook is how long the elements of one look at the tree are watched: the tree is
// asked again after it, since it may have others by then.
const roleLook = 300 * time.Millisecond

// maxNodes bounds how many elements of a role are looked at.
const maxNodes = 200

// byRole asks once about the elements that have the role and name in the browser's
// own accessibility tree, those that are hidden from it last.
func (t *tab) byRole(ctx context.Context, fn, arg string, m scenario.Matcher) (found, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	id, err := t.worldOf(ctx)
	if err != nil {
		return found{}, err
	}
	var out found
	err = t.evaluated(ctx, &out, func() (*runtime.RemoteObject, *runtime.ExceptionDetails, error) {
		root, err := call(ctx, t.session, runtime.Evaluate, runtime.EvaluateParams{Expression: "document", UniqueContextID: id, ObjectGroup: world})
		if err != nil || root.Result == nil {
			return nil, nil, errors.Join(errMoved, err)
		}
		defer post(context.WithoutCancel(ctx), t.session, runtime.ReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: world})
		var all []*accessibility.Node
		for _, role := range treeRoles(m.Value) {
			tree, err := call(ctx, t.session, accessibility.QueryAXTree, accessibility.QueryAXTreeParams{ObjectID: root.Result.ObjectID, Role: role})
			if err != nil {
				return nil, nil, err
			}
			all = append(all, tree.Nodes...)
		}
		args, err := t.nodes(ctx, withName(all, m.Name))
		if err != nil {
			return nil, nil, err
		}
		r, err := call(ctx, t.session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
			FunctionDeclaration: fmt.Sprintf("function (...given) { return warden.%s(%s, %d, given) }", fn, arg, roleLook.Milliseconds()),
			UniqueContextID:     id, Arguments: args, AwaitPromise: new(true), ReturnByValue: new(true),
		})
		return r.Result, r.ExceptionDetails, err
	})
	return out, err
}

// treeRoles are the browser's own names of a role of WAI-ARIA.
func treeRoles(role string) []string {
	switch role {
	case "img":
		return []string{"image"}
	case "math":
		return []string{"math", "MathMLMath"}
	case "directory":
		return []string{"list"}
	}
	return []string{role}
}

// kept reports whether the tree names a node that it keeps from those who use it:
// one that the page hides from them, or that they cannot come to.
func kept(n *accessibility.Node) bool {
	return n.Ignored && slices.ContainsFunc(n.IgnoredReasons, func(p *accessibility.Property) bool {
		return p != nil && (strings.HasPrefix(string(p.Name), "ariaHidden") || strings.HasPrefix(string(p.Name), "inert") || strings.HasPrefix(string(p.Name), "active"))
	})
}

// withName are the nodes that have the accessible name; "" is any. Blanks count once, and case does not.
func withName(nodes []*accessibility.Node, name string) []*accessibility.Node {
	var out []*accessibility.Node
	for _, n := range nodes {
		if n == nil || n.BackendDOMNodeID == 0 || kept(n) || len(out) == maxNodes {
			continue
		}
		var is string
		if n.Name != nil {
			_ = json.Unmarshal(n.Name.Value, &is) // what is no string has no name
		}
		if name == "" || strings.EqualFold(strings.Join(strings.Fields(is), " "), strings.Join(strings.Fields(name), " ")) {
			out = append(out, n)
		}
	}
	return out
}

// nodes are the elements as arguments of a function in our world.
func (t *tab) nodes(ctx context.Context, nodes []*accessibility.Node) ([]*runtime.CallArgument, error) {
	t.mu.Lock()
	where := t.worldID
	t.mu.Unlock()
	waits := make([]*pending, len(nodes))
	for i, n := range nodes {
		p, err := post(ctx, t.session, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: n.BackendDOMNodeID, ExecutionContextID: where, ObjectGroup: world})
		if err != nil {
			return nil, err
		}
		waits[i] = p
	}
	var out []*runtime.CallArgument
	for _, p := range waits {
		var r dom.ResolveNodeResult
		if err := p.wait(ctx, &r); err != nil {
			if ctx.Err() != nil || errors.Is(err, errGone) || errors.Is(err, errCrashed) {
				return nil, err
			}
			continue // it has left the page, or lies in a frame of its own
		}
		out = append(out, &runtime.CallArgument{ObjectID: r.Object.ObjectID})
	}
	return out, nil
}
