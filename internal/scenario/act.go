package scenario

// Act is what a step does, by the word that a scenario has for it.
type Act string

// The acts. Those on an element name it first: testid=save click.
const (
	Visible    Act = "visible"     // an element is there and can be seen; what a step means that says nothing else
	Hidden     Act = "hidden"      // no element is there, or it cannot be seen
	Click      Act = "click"       // the element is clicked: it must be what the click hits, and something must change
	Hover      Act = "hover"       // the pointer rests on the element
	Fill       Act = "fill"        // the field's content is replaced
	Press      Act = "press"       // a key goes to the element, or to the page when no element is named
	Select     Act = "select"      // an option is chosen, by its label or else by its value
	TextEquals Act = "text-equals" // the element's text, or the field's content, is exactly this
	Count      Act = "count"       // so many elements can be seen

	Wait         Act = "wait"              // time passes, and a picture is taken
	WaitFor      Act = "wait-for"          // an element is waited for
	Open         Act = "open"              // an address of the same origin is opened
	URL          Act = "url"               // the page's address is this
	QuietConsole Act = "no-console-errors" // no error is written to the console, in the whole scenario
)

// Asserts reports whether the act can fail because of what the page shows, and so
// proves something. A click does: it must hit its element and change the page.
func (a Act) Asserts() bool {
	switch a {
	case Visible, Hidden, Click, TextEquals, Count, WaitFor, URL, QuietConsole:
		return true
	}
	return false
}

// bare are the acts on an element that are a word alone; valued are those that
// take a value after an equals sign.
func bareActs() []string { return []string{"visible", "hidden", "click", "hover"} }
func valuedActs() []string {
	return []string{"fill", "press", "select", "text-equals", "count"}
}

// matchers are the words that begin a matcher; alone are those that begin a step
// on no element.
func matcherWords() []string { return []string{"text", "css", "testid", "role"} }
func aloneWords() []string   { return []string{"wait-for", "open", "url", "press"} }
