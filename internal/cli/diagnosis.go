package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tolboy/warden/internal/doctor"
	"github.com/tolboy/warden/internal/plain"
	"github.com/tolboy/warden/internal/visual"
)

// program is how this program is started by hand for the same home.
func (a *app) program() string {
	home := a.env("WARDEN_CONFIG_HOME")
	if home == "" {
		return "warden"
	}
	return "WARDEN_CONFIG_HOME=" + quoted(home) + " warden"
}

// diagnose tells a person what doctor found: what is ready, what is missing, and
// what to do next.
func (a *app) diagnose(r doctor.Report) {
	a.row("gates", ready(r.MachineGatesReady))
	a.row("roles", ready(r.RoleExecutionReady))
	a.row("sandbox", cmp.Or(r.Sandbox.Message, string(r.Sandbox.Backend)))
	a.row("browser", cmp.Or(r.Browser.Path, "none: "+r.Browser.Message))
	a.row("pages", pages(r.Browser))
	a.troubles(r.Problems)
	if len(r.Problems) == 0 {
		a.row("next", a.program()+` do --project `+quoted(r.Project.Root)+` "what should change"`)
	}
}

// troubles lists what is missing. What to do is said once, under all that it mends.
func (a *app) troubles(list []doctor.Trouble) {
	for i, t := range list {
		a.row("missing", t.Problem)
		if t.Next == "" || slices.ContainsFunc(list[i+1:], func(o doctor.Trouble) bool { return o.Next == t.Next }) {
			continue
		}
		a.row("next", t.Next)
	}
}

// row is one line of a summary, bounded and without anything that acts on a terminal.
func (a *app) row(name, text string) {
	a.narrate("%s", strings.TrimRight(fmt.Sprintf("%-8s %s", name, plain.Terminal(plain.Line(text, 400))), " "))
}

func ready(ok bool) string {
	if ok {
		return "ready"
	}
	return "not ready"
}

// pages says in which network a page is looked at that its task's command serves.
func pages(b doctor.Browser) string {
	switch b.Network {
	case "":
		return "cannot be looked at: " + b.NetworkMessage
	case visual.NetworkLoopback:
		return "are looked at in a network of their own"
	}
	return "are looked at in the network of this machine"
}
