package ci_test

import (
	"slices"
	"strings"
)

// issued is a command that a runner obeyed.
type issued struct {
	Name  string
	Props map[string]string
	Data  string
}

// runner reads a job log as GitHub's runner does: a command is a line that begins
// with "::name" after white space, or, in the older form, "##[name]" anywhere.
type runner struct {
	stopToken string
	obeyed    []issued
}

func (r *runner) feed(log string) {
	log = strings.ReplaceAll(log, "\r\n", "\n")
	for _, line := range strings.FieldsFunc(log, func(c rune) bool { return c == '\n' || c == '\r' }) {
		c, ok := r.parseNew(line)
		if !ok {
			c, ok = r.parseOld(line)
		}
		switch {
		case !ok:
		case r.stopToken != "":
			if c.Name == r.stopToken {
				r.stopToken = ""
			}
		case c.Name == "stop-commands":
			r.stopToken = c.Data
		default:
			r.obeyed = append(r.obeyed, c)
		}
	}
}

func (r *runner) known(name string) bool {
	return name != "" && name == r.stopToken || slices.Contains([]string{
		"add-mask", "error", "warning", "notice", "debug", "group", "endgroup", "set-output", "save-state",
		"set-env", "add-path", "echo", "add-matcher", "remove-matcher", "stop-commands",
	}, name)
}

func (r *runner) parseNew(line string) (issued, bool) {
	rest, ok := strings.CutPrefix(strings.TrimLeft(line, " \t\v\f\u00a0\u2028\u2029"), "::")
	info, data, found := strings.Cut(rest, "::")
	if !ok || !found {
		return issued{}, false
	}
	return r.command(info, data, ",")
}

func (r *runner) parseOld(line string) (issued, bool) {
	_, rest, ok := strings.Cut(line, "##[")
	info, data, found := strings.Cut(rest, "]")
	if !ok || !found {
		return issued{}, false
	}
	return r.command(info, data, ";")
}

func (r *runner) command(info, data, separator string) (issued, bool) {
	name, props, _ := strings.Cut(info, " ")
	if !r.known(name) {
		return issued{}, false
	}
	c := issued{Name: name, Props: map[string]string{}, Data: unescape(data)}
	for pair := range strings.SplitSeq(props, separator) {
		if k, v, ok := strings.Cut(pair, "="); ok {
			c.Props[strings.TrimSpace(k)] = unescape(v)
		}
	}
	return c, true
}

func unescape(s string) string {
	return strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%").Replace(s)
}
