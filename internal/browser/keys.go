package browser

import (
	"context"
	"strings"
	"unicode"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"

	"github.com/tolboy/warden/internal/scenario"
)

// fill replaces a field's content by typing, where it is a field that is typed in.
func (r *play) fill(ctx context.Context, s scenario.Step, row *Step) error {
	f, err := r.tab.inquire(ctx, "ready", s, patience)
	row.take(f)
	if r.acted = f.OK; err != nil || !f.OK {
		return err
	}
	if !f.Set {
		if err := r.typeText(ctx, s.Value); err != nil {
			return err
		}
	}
	var held found
	if err := r.tab.ask(ctx, "warden.filled("+quoted(s.Value)+")", 0, &held); err != nil {
		return err
	}
	if !held.OK {
		row.OK, row.Why = false, held.Why
		return nil
	}
	return r.settle(ctx, 0)
}

func (r *play) typeText(ctx context.Context, text string) error {
	if text == "" {
		return r.tab.ask(ctx, "warden.erase()", 0, nil)
	}
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	_, err := call(ctx, r.tab.session, input.InsertText, input.InsertTextParams{Text: text})
	return r.tab.explain(ctx, err)
}

// choose selects an option of a list.
func (r *play) choose(ctx context.Context, s scenario.Step, row *Step) error {
	f, err := r.tab.inquire(ctx, "choose", s, patience)
	row.take(f)
	if r.acted = f.OK; err != nil || !f.OK {
		return err
	}
	return r.settle(ctx, 0)
}

// press gives a key to the element, or to whatever has the focus.
func (r *play) press(ctx context.Context, s scenario.Step, row *Step) error {
	row.OK = true
	if s.Target.By != "" {
		f, err := r.tab.inquire(ctx, "ready", s, patience)
		row.take(f)
		if err != nil || !f.OK {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	r.acted = true
	for _, e := range strokes(s.Key) {
		if _, err := call(ctx, r.tab.session, input.DispatchKeyEvent, *e); err != nil {
			return r.tab.explain(ctx, err)
		}
	}
	return r.settle(ctx, 0)
}

// strokes are the events of one key with what is held down. A key that is held with
// Control or Meta types nothing.
func strokes(k scenario.Key) []*input.DispatchKeyEventParams {
	key := runeOf(k.Name)
	if k.Shift && !k.Control && !k.Meta {
		key = unicode.ToUpper(key)
	}
	events := kb.Encode(key)
	var held kb.Modifier
	for _, m := range []struct {
		on  bool
		bit kb.Modifier
	}{{k.Alt, kb.ModifierAlt}, {k.Control, kb.ModifierCtrl}, {k.Meta, kb.ModifierMeta}, {k.Shift, kb.ModifierShift}} {
		if m.on {
			held |= m.bit
		}
	}
	var out []*input.DispatchKeyEventParams
	for _, e := range events {
		e.Modifiers |= int64(held)
		if k.Control || k.Meta {
			if e.Type == input.DispatchKeyEventTypeChar {
				continue
			}
			e.Text, e.UnmodifiedText = "", ""
		}
		out = append(out, e)
	}
	return out
}

// runeOf is the character by which the key tables know a key.
func runeOf(name string) rune {
	for _, k := range []struct{ name, rune string }{
		{"Enter", kb.Enter}, {"Escape", kb.Escape}, {"Tab", kb.Tab}, {"Space", " "}, {"Backspace", kb.Backspace}, {"Delete", kb.Delete},
		{"Insert", kb.Insert}, {"Home", kb.Home}, {"End", kb.End}, {"PageUp", kb.PageUp}, {"PageDown", kb.PageDown},
		{"ArrowUp", kb.ArrowUp}, {"ArrowDown", kb.ArrowDown}, {"ArrowLeft", kb.ArrowLeft}, {"ArrowRight", kb.ArrowRight},
		{"F1", kb.F1}, {"F2", kb.F2}, {"F3", kb.F3}, {"F4", kb.F4}, {"F5", kb.F5}, {"F6", kb.F6},
		{"F7", kb.F7}, {"F8", kb.F8}, {"F9", kb.F9}, {"F10", kb.F10}, {"F11", kb.F11}, {"F12", kb.F12},
	} {
		if strings.EqualFold(k.name, name) {
			name = k.rune
			break
		}
	}
	for _, c := range name {
		return c
	}
	return 0
}
