package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
)

// LaunchWord is the first argument by which a command line asks this program to
// restrict itself and become another. See Spec.Wrap and package launcher.
const LaunchWord = "__confined"

// Versions of Landlock from which something holds.
const (
	ABIWrites = 3 // opening, making, moving and truncating are all covered
	ABITCP    = 4
	ABIScope  = 6 // signals and abstract sockets
)

// minABI is the oldest version that is used.
const minABI = ABITCP

// Rules are what a launcher restricts itself to before it becomes the command.
// What they do not name can be neither read nor written.
type Rules struct {
	ABI     int      `json:"abi"` // of the restrictions to use, at most the kernel's
	Read    []string `json:"read"`
	Write   []string `json:"write"`
	Devices []string `json:"devices"`
	Network bool     `json:"network"`
	// Links are made in the private home once the restriction holds.
	Links  []Mount `json:"links,omitempty"`
	Home   string  `json:"home"`
	Tmp    string  `json:"tmp"`
	Dir    string  `json:"dir"`
	Status int     `json:"status,omitempty"` // descriptor of the report; 0 for none
}

const (
	maxRules     = 8192     // paths of one command
	maxRulesText = 96 << 10 // bytes of one argument, below the system's limit
)

// devices are what every program may use.
var devices = [...]string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts"}

// landlocked returns the command line by which the program at launcher restricts
// itself under s and starts argv.
func (s Spec) landlocked(launcher string, argv []string) ([]string, error) {
	h, err := thisHost()
	if err != nil {
		return nil, err
	}
	rules, err := s.rules(h, landlockABI())
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(rules)
	if err != nil {
		return nil, err
	}
	if len(text) > maxRulesText {
		return nil, fmt.Errorf("landlock rules of %d bytes are over %d: too much lies beside what is hidden", len(text), maxRulesText)
	}
	return append([]string{launcher, LaunchWord, string(text), "--"}, argv...), nil
}

// rules says what s lets a child do. Landlock only opens, so everything that is to
// be seen is named, down to the neighbours of what is hidden.
func (s Spec) rules(h host, abi int) (Rules, error) {
	if s.ABI > 0 {
		abi = min(abi, s.ABI)
	}
	if abi < minABI {
		return Rules{}, fmt.Errorf("landlock of this kernel has version %d, and %d is needed", abi, minABI)
	}
	p := &plan{host: h, spec: s}
	for _, step := range []func() error{p.resolveRoot, p.hideHost, p.addHome, p.addMounts, p.setDir} {
		if err := step(); err != nil {
			return Rules{}, err
		}
	}
	if s.Tmp == "" {
		return Rules{}, errors.New("landlock needs a private temporary directory")
	}
	r := Rules{
		ABI: abi, Network: s.Network, Dir: p.dir, Status: s.StatusFD, Devices: devices[:],
		Home: filepath.Join(s.Tmp, "home"), Tmp: filepath.Join(s.Tmp, "tmp"),
	}
	w := walker{host: h, closed: p.closed()}
	if err := p.openMounts(&r, &w); err != nil {
		return Rules{}, err
	}
	r.Write = append(r.Write, r.Home, r.Tmp)
	if err := w.open("/"); err != nil {
		return Rules{}, err
	}
	for _, path := range w.closed {
		if path != p.root && within(path, p.root) {
			return Rules{}, fmt.Errorf("landlock cannot hide %q inside the worktree", path)
		}
	}
	if s.Writable {
		r.Write = append(r.Write, p.root)
	} else {
		w.paths = append(w.paths, p.root)
	}
	r.Read = append(w.paths, resolverFiles[:]...)
	return r, nil
}

// closed are the paths that no child reads: what a spec hides, and the places that
// bubblewrap would replace by its own.
func (p *plan) closed() []string {
	out := append([]string{"/dev"}, p.hidden...)
	return append(out, p.covered...)
}

// openMounts shares what a spec shares. A path cannot show under another name, so
// the private home is the directory that was to appear there, and what is shared
// in it is reached by links.
func (p *plan) openMounts(r *Rules, w *walker) error {
	for _, m := range p.shared {
		if m.Target == p.home {
			if !m.Writable {
				return fmt.Errorf("home %q is shared read-only", m.Target)
			}
			r.Home = m.Source
		}
	}
	for _, m := range p.shared {
		if m.Target == p.home {
			continue
		}
		if m.Writable {
			r.Write = append(r.Write, m.Source)
		} else if err := w.open(m.Source); err != nil {
			return err
		}
		if inner, ok := below(m.Target, p.home); ok {
			r.Links = append(r.Links, Mount{Source: m.Source, Target: filepath.Join(r.Home, inner)})
			continue
		}
		if m.Source != m.Target && !p.leadsTo(m.Target, m.Source) {
			return fmt.Errorf("landlock cannot show %q as %q", m.Source, m.Target)
		}
	}
	r.Links = outermost(r.Links)
	return nil
}

// outermost drops the links that lie in what another one shows.
func outermost(links []Mount) []Mount {
	var out []Mount
	for i, l := range links {
		inside := func(other Mount) bool { _, ok := below(l.Target, other.Target); return ok }
		if !slices.ContainsFunc(links, inside) && !slices.Contains(links[:i], l) {
			out = append(out, l)
		}
	}
	return out
}

// leadsTo reports whether path is a link to real.
func (p *plan) leadsTo(path, real string) bool {
	to, err := p.host.eval(path)
	return err == nil && to == real
}

// String names what confines, for the ledger and the people.
func (r Report) String() string {
	switch r.Backend {
	case Landlock:
		text := "landlock, version " + strconv.Itoa(r.ABI)
		if r.Reason != "" {
			text += " (" + r.Reason + ")"
		}
		return text
	case None:
		return "none (" + r.Reason + ")"
	}
	return string(r.Backend)
}
