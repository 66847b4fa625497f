package browser

import "strconv"

// Report is what was seen. It is a projection that holds no page's bytes beyond the
// bounds that its fields name.
type Report struct {
	Browser   string     `json:"browser"`        // product and version, as the browser says it
	Unboxed   bool       `json:"no_sandbox"`     // the browser ran without its own sandbox, which root cannot have
	Origins   []string   `json:"origins"`        // what the pages could reach
	Scenarios []Scenario `json:"scenarios"`      // in the order in which they were given
	Processes int        `json:"left,omitempty"` // processes of the browser that outlived it and were ended
	Seconds   float64    `json:"seconds"`        // of the whole, the start of the browser included
	// StartSeconds until the browser answered, and EndSeconds until it and its profile
	// were gone, are parts of Seconds.
	StartSeconds float64 `json:"start_seconds"`
	EndSeconds   float64 `json:"end_seconds"`
}

// OK reports whether every scenario held. A report without scenarios shows nothing.
func (r Report) OK() bool {
	for _, s := range r.Scenarios {
		if !s.OK {
			return false
		}
	}
	return len(r.Scenarios) > 0
}

// Size is a viewport in CSS pixels.
type Size struct {
	Width  int     `json:"width"`
	Height int     `json:"height"`
	Scale  float64 `json:"scale"` // device pixels in a CSS pixel
	Mobile bool    `json:"mobile,omitempty"`
}

// Name says a viewport as a scenario does, such as "390x844 mobile".
func (s Size) Name() string {
	name := strconv.Itoa(s.Width) + "x" + strconv.Itoa(s.Height)
	if s.Mobile {
		name += " mobile"
	}
	return name
}

// Scenario is what one scenario came to.
type Scenario struct {
	Raw         string       `json:"raw"`
	Address     string       `json:"address"` // where it began
	Viewport    Size         `json:"viewport"`
	Effective   *Size        `json:"viewport_effective,omitempty"` // nil when the page could not be asked
	Honoured    bool         `json:"viewport_honoured"`
	OK          bool         `json:"ok"`
	Why         string       `json:"why,omitempty"`    // the first thing that failed
	Status      int          `json:"status,omitempty"` // of the document's answer, 0 when there was none
	Page        string       `json:"page,omitempty"`   // title of the page at the end
	Screenshots []Screenshot `json:"screenshots"`
	Steps       []Step       `json:"steps"`
	// Picture says why there is no picture of the end, or what it shows, where it is
	// not the moment that was judged.
	Picture string `json:"picture,omitempty"`
	// Unsettled is why the page was never quiet within the bound, as "animation:
	// spin of <div>"; it was judged as it stood then.
	Unsettled string `json:"unsettled,omitempty"`

	Console        []ConsoleError `json:"console_errors"`
	ConsoleMore    int            `json:"console_errors_more,omitempty"` // beyond those kept
	Ignored        int            `json:"ignored_console_errors"`        // of extensions and of the browser itself
	Unheard        int            `json:"workers_not_read,omitempty"`    // whose errors were not all read: too many, or silent
	ConsoleChecked bool           `json:"console_checked"`

	Refused   []string `json:"refused,omitempty"`       // addresses that the page asked for and did not get
	Dialogs   []string `json:"dialogs,omitempty"`       // each dismissed
	Popups    []string `json:"popups,omitempty"`        // addresses of windows that the page opened, each closed
	Downloads []string `json:"downloads,omitempty"`     // names of files that it offered, each denied
	Frames    int      `json:"frames,omitempty"`        // of the same origin, looked into
	Closed    int      `json:"closed_frames,omitempty"` // of another origin, not looked into
	Seconds   float64  `json:"seconds"`
	Times     Times    `json:"times"`
}

// Step is what one step came to. A step after one that failed was not run and is
// not listed.
type Step struct {
	Step       int      `json:"step"` // from 1
	Matcher    string   `json:"matcher,omitempty"`
	Assertion  string   `json:"assertion"`
	OK         bool     `json:"ok"`
	Why        string   `json:"why,omitempty"`
	Visible    bool     `json:"visible"`
	Element    string   `json:"element,omitempty"`                // tag, id or class, role and words
	Count      int      `json:"count,omitempty"`                  // elements that match
	Unsearched int      `json:"frames_not_looked_into,omitempty"` // of another origin: what is absent, or counted, may be in them
	ClickedAt  *[2]int  `json:"clicked_at,omitempty"`
	Hit        string   `json:"hit,omitempty"` // the element that the press came to
	DOMChanged bool     `json:"dom_changed,omitempty"`
	Changed    []string `json:"changed,omitempty"` // document, state, address, page, scroll, pixels, dialog, popup, download
	Waited     float64  `json:"waited_seconds,omitempty"`
	Screenshot string   `json:"screenshot_after,omitempty"`
}

// Screenshot is one picture, a PNG in the directory that was given.
type Screenshot struct {
	Name    string   `json:"name"`
	SHA256  string   `json:"sha256"`
	Bytes   int      `json:"bytes"`
	Ignored []Region `json:"ignored_regions,omitempty"`
}

// Region is a rectangle of a picture that a comparison leaves out, in CSS pixels.
type Region struct {
	Selector string `json:"selector"`
	X        int    `json:"x"`
	Y        int    `json:"y"`
	Width    int    `json:"width"`
	Height   int    `json:"height"`
}

// ConsoleError is an error that the page wrote or threw, at most 400 characters.
type ConsoleError struct {
	Text   string `json:"text"`
	Source string `json:"source,omitempty"` // address:line of the script, as the browser says it
}
