// Package scenario is the language of visual_qa.scenarios: one line that says how
// large the page's window is, what is done to the page, and what must then be
// seen. It reads such a line, writes it again, and says what is wrong with it. It
// opens no browser.
//
//	390x844 mobile: testid=save click -> text=Saved visible -> no-console-errors
package scenario

import (
	"strconv"
	"time"
)

// Scenario is one line that was read. It is a value and holds nothing shared.
type Scenario struct {
	Text     string // as it was written
	Viewport Viewport
	Steps    []Step // in order, at least one
}

// Viewport is the size of the page's window in CSS pixels.
type Viewport struct {
	Width, Height int
	Mobile        bool // emulate a telephone: touch, and the page's own viewport meta tag
}

// String is the size as a scenario writes it: 390x844 mobile.
func (v Viewport) String() string {
	s := strconv.Itoa(v.Width) + "x" + strconv.Itoa(v.Height)
	if v.Mobile {
		s += " mobile"
	}
	return s
}

// Step is one thing that is done or that must hold. Fields that its act does not
// name are zero. Two steps that mean the same are equal but for Column.
type Step struct {
	Number int     // from 1, its place in the scenario
	Column int     // of its first character in the scenario's text, from 1
	Act    Act     // what is done
	Target Matcher // which element; zero for Wait, Open, URL, QuietConsole, and for a Press of the whole page

	Value string        // Fill: the text; Select: the option; TextEquals: the text; Open, URL: the address, from its first slash
	Key   Key           // Press
	Count int           // Count: how many elements
	At    Point         // Click: where in the element
	Hold  time.Duration // Wait: how long
}

// Point is a place in an element, as fractions of its box from the top left.
type Point struct{ X, Y float64 }

// Centre is where a click goes that names no point.
func Centre() Point { return Point{X: 0.5, Y: 0.5} }

// Key is a key of the keyboard with what is held down meanwhile. Name is one
// character, or one of KeyNames.
type Key struct {
	Control, Alt, Shift, Meta bool
	Name                      string
}

// Matcher says which element is meant.
type Matcher struct {
	By    By     // "" when the step needs no element
	Value string // the text, selector, test id or role
	Name  string // ByRole: the accessible name; "" when any will do
}

// By is the manner in which an element is looked for.
type By string

// The manners.
const (
	ByText   By = "text"   // letters of the page, case aside, anywhere in an element's text
	ByCSS    By = "css"    // a selector
	ByTestID By = "testid" // data-testid, data-test-id or data-test
	ByRole   By = "role"   // a role of the accessibility tree
)

// Start is the address, from its first slash, at which the scenario begins, and
// whether it names one: a scenario does by beginning with Open. The driver then
// goes there in place of the contract's own address.
func (s Scenario) Start() (address string, named bool) {
	if len(s.Steps) > 0 && s.Steps[0].Act == Open {
		return s.Steps[0].Value, true
	}
	return "", false
}

// QuietConsole reports whether the console must stay quiet, wherever in the
// scenario that is said: it holds for the whole of it.
func (s Scenario) QuietConsole() bool {
	for _, step := range s.Steps {
		if step.Act == QuietConsole {
			return true
		}
	}
	return false
}
