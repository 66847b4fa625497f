package policy

import (
	"net"
	"net/url"
	"strings"

	"github.com/tolboy/warden/internal/strict"
	"github.com/tolboy/warden/internal/workflow"
)

// local holds a profile of a model server against what such a server can do: it
// is sent one prompt and has no tools of ours, no process and no files.
func (c *profileCheck) local(p Profile) {
	r := c.raw
	for _, key := range []struct {
		set  bool
		at   strict.At
		name string
	}{
		{len(r.Args.V) > 0, r.Args.At, "args"}, {len(r.Env.V) > 0, r.Env.At, "env"}, {r.Delivery.Set, r.Delivery.At, "prompt_delivery"},
		{r.Sandbox.Set, r.Sandbox.At, "sandbox"}, {len(r.Share.V) > 0, r.Share.At, "home.share"}, {r.Flag.Set, r.Flag.At, "attachments.flag"},
	} {
		if key.set && !c.bad(key.name) {
			c.report(key.at, "runner local starts no program, so this reaches nobody", "remove the key")
		}
	}
	if !r.Model.Set && !c.bad("model") {
		c.report(strict.At{Key: "model"}, "the key is missing", "a model server has to be told which model is meant")
	}
	if r.Role.V == workflow.Implementer && !c.bad("role") {
		c.report(r.Role.At, "runner local has no tools, so it cannot write", "a role that reads")
	}
	if !p.ReadOnly && !c.bad("read_only") {
		c.report(r.ReadOnly.At, "runner local has no tools, so it cannot write", "remove the key")
	}
	if r.KeyEnv.Set && inTheClear(p.Endpoint) && !c.bad("endpoint") {
		c.report(r.Endpoint.At, "the key would go over the network in the clear", "write https://, or take api_key_env out")
	}
}

// orca holds a profile of a worker of Orca against what reaches one: the name of
// an agent, a model and an effort.
func (c *profileCheck) orca() {
	r := c.raw
	for _, key := range []struct {
		set  bool
		at   strict.At
		name string
	}{
		{len(r.Env.V) > 0, r.Env.At, "env"}, {r.KeyEnv.Set, r.KeyEnv.At, "api_key_env"},
		{r.Sandbox.Set && r.Sandbox.V != "none", r.Sandbox.At, "sandbox"}, {len(r.Share.V) > 0, r.Share.At, "home.share"},
	} {
		if key.set && !c.bad(key.name) {
			c.report(key.at, "a worker of Orca runs in Orca's own terminal, so this reaches nobody", "remove the key")
		}
	}
}

// inTheClear reports whether what is sent to an address can be read on the way.
func inTheClear(endpoint string) bool {
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" {
		return false
	}
	host := u.Hostname()
	ip := net.ParseIP(host)
	return !strings.EqualFold(host, "localhost") && (ip == nil || !ip.IsLoopback())
}

// carries reports whether a model stands in a list of arguments and settings, by
// its placeholder or as it is.
func carries(used []string, model string) bool {
	for _, text := range used {
		if strings.Contains(text, model) {
			return true
		}
	}
	return names(used, "model")
}
