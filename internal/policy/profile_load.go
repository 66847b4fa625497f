package policy

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/tolboy/warden/internal/strict"
	"github.com/tolboy/warden/internal/workflow"
)

// ParseProfile reads the text of a profile; file is its name in messages, and
// stem is what the profile must be called ("" asks for nothing). Faults come as
// strict.Faults.
func ParseProfile(file, stem string, data []byte) (Profile, error) {
	var raw rawProfile
	src := strict.Source{File: file}
	c := &profileCheck{raw: &raw, src: src, faults: strict.Read(src, data, raw.shape())}
	if stem != "" && raw.Name.Set && raw.Name.V != stem {
		c.report(raw.Name.At, fmt.Sprintf("the profile is called %q, and its file %q", raw.Name.V, stem), "give both one name")
	}
	p := raw.profile()
	c.runner(p)
	if p.Runner == "local" {
		c.local(p)
	}
	if p.Runner == "orca" {
		c.orca()
	}
	c.vision(p)
	c.model(p)
	c.tools(p)
	c.secrets()
	c.planner(p)
	if err := c.faults.Err(); err != nil {
		return Profile{}, err
	}
	p.Raw = bytes.Clone(data)
	sum := sha256.Sum256(data)
	p.SHA256 = hex.EncodeToString(sum[:])
	return p, nil
}

func (r *rawProfile) profile() Profile {
	p := Profile{
		Name: r.Name.V, Role: r.Role.V, Vendor: r.Vendor.V, Runner: r.Runner.Or("direct"), Command: r.Command.V,
		Args: strict.Strings(r.Args.V), Model: r.Model.V, Effort: r.Effort.V, ReadOnly: r.ReadOnly.Or(true),
		WallClock: time.Duration(r.Minutes.Or(20)) * time.Minute, MaxCostUSD: r.MaxCost.V, PromptTemplate: r.Prompt.V, SchemaPath: r.Schema.V,
		EnforceSchema: r.Enforce.Or(true), RequiredFields: strict.Strings(r.Required.V), ToolsAllow: inOrder(strict.Strings(r.Tools.V)),
		QuotaSignatures: strict.Strings(r.Signatures.V), PromptDelivery: r.Delivery.Or("argv"), AttachmentFlag: r.Flag.V,
		Vision: Vision{Delivery: r.VisionBy.V, Verification: r.VisionProof.V, Acquires: r.Acquires.V}, Endpoint: r.Endpoint.V,
		APIKeyEnv: strict.Strings(r.KeyEnv.V), Sandbox: r.Sandbox.Or("warden"), HomeShare: strict.Strings(r.Share.V),
		Verification: Verification{VerifiedOn: r.VerifiedOn.V, Status: r.Status.V, Probe: r.Probe.V, Expect: r.Expect.V,
			Note: r.VerifyNote.V, WhatToCheck: strict.Strings(r.WhatToCheck.V)},
		Notes: strings.Join(strict.Strings(r.Notes.V), "\n"),
	}
	if p.Runner == "orca" && !r.Delivery.Set {
		p.PromptDelivery = "workspace_file"
	}
	if p.Runner == "direct" && p.AttachmentFlag != "" && !r.Vision.Set {
		p.Vision = Vision{Delivery: "cli_attachment", Verification: "required"}
	}
	for _, e := range r.Env.V {
		if p.Env == nil {
			p.Env = map[string]string{}
		}
		p.Env[e.Name] = e.Of.V
	}
	return p
}

// planner holds that a plan is always checked: it becomes a contract.
func (c *profileCheck) planner(p Profile) {
	if p.Role == workflow.Planner && !p.EnforceSchema {
		c.report(c.raw.Enforce.At, "the answer of a planner is always held against its schema", "remove the key")
	}
}

type profileCheck struct {
	raw    *rawProfile
	src    strict.Source
	faults strict.Faults
}

func (c *profileCheck) report(at strict.At, message, hint string) {
	at.Line = max(at.Line, 1)
	c.faults = append(c.faults, c.src.Fault(at, message, hint))
}

// bad reports whether a key already has a fault, so that nothing is concluded
// from its absence.
func (c *profileCheck) bad(key string) bool {
	for _, f := range c.faults {
		if f.Key == "" || f.Key == key || strings.HasPrefix(f.Key, key+".") || strings.HasPrefix(f.Key, key+"[") {
			return true
		}
	}
	return false
}

func (c *profileCheck) runner(p Profile) {
	r := c.raw
	if p.Runner != "local" && !r.Command.Set && !c.bad("command") {
		c.report(strict.At{Key: "command"}, "the key is missing", "the program to run; only runner local has none")
	}
	if p.Runner == "local" && r.Command.Set {
		c.report(r.Command.At, "runner local starts no program", "remove the key, or set runner: direct")
	}
	if p.Runner == "local" && !r.Endpoint.Set && !c.bad("endpoint") {
		c.report(strict.At{Key: "endpoint"}, "the key is missing", "runner local needs the address of a model server")
	}
	if p.Runner != "local" && r.Endpoint.Set {
		c.report(r.Endpoint.At, "only runner local has an endpoint", "remove the key, or set runner: local")
	}
	if p.Runner == "orca" && len(r.Args.V) > 0 {
		c.report(r.Args.At, "runner orca takes no arguments", "remove the key")
	}
	if (p.Runner == "orca") != (p.PromptDelivery == "workspace_file") {
		c.report(r.Delivery.At, "workspace_file is the delivery of runner orca, and of no other", "argv or stdin for a program that is run directly")
	}
}

func (c *profileCheck) vision(p Profile) {
	r := c.raw
	switch {
	case c.bad("capabilities"):
	case p.Runner == "local" && r.Vision.Set:
		c.report(r.Vision.At, "runner local cannot take pictures", "remove the key")
	case p.Runner == "orca" && p.Vision.Delivery == "cli_attachment":
		c.report(r.VisionBy.At, "runner orca delivers pictures as workspace_file only", "write workspace_file")
	case p.Vision.Delivery == "cli_attachment" && !r.Flag.Set && !c.bad("attachments"):
		c.report(r.VisionBy.At, "cli_attachment needs attachments.flag", "name the flag that stands before each file")
	case p.Role == workflow.VisualQA && p.Vision.Delivery == "":
		c.report(strict.At{Line: r.Role.At.Line, Key: "capabilities.vision"}, "a visual_qa profile must take pictures", "declare capabilities.vision")
	}
	if r.Flag.Set && p.Vision.Delivery != "cli_attachment" && !c.bad("capabilities") {
		c.report(r.Flag.At, "attachments.flag needs capabilities.vision with delivery cli_attachment", "declare it, or remove the flag")
	}
}

func (c *profileCheck) model(p Profile) {
	r := c.raw
	used := append(strict.Strings(r.Args.V), values(p.Env)...)
	switch {
	case !r.Effort.Set:
		if names(used, "effort") && !c.bad("effort") {
			c.report(strict.At{Line: r.Args.At.Line, Key: "effort"}, "{{effort}} is used, and no effort is set", "set effort, or remove the placeholder")
		}
	case p.Runner == "local":
		c.report(r.Effort.At, "runner local has no level of effort", "remove the key")
	case p.Runner == "orca" && !r.Model.Set:
		c.report(r.Effort.At, "runner orca takes an effort only with a model", "set model")
	case p.Runner == "direct" && !names(used, "effort") && !c.bad("args"):
		c.report(r.Effort.At, "the effort reaches nobody", "pass {{effort}} in args")
	}
	if r.Model.Set && p.Runner == "direct" && !carries(used, p.Model) && !c.bad("args") {
		c.report(r.Model.At, "the model reaches nobody", "pass {{model}} in args, or in env")
	}
	if !r.Model.Set && names(used, "model") && !c.bad("model") {
		c.report(strict.At{Line: r.Args.At.Line, Key: "model"}, "{{model}} is used, and no model is set", "set model, or remove the placeholder")
	}
}

func (c *profileCheck) secrets() {
	for _, e := range c.raw.Env.V {
		if m, hint := settingFault(e.Name, e.Of.V); m != "" {
			c.report(e.At, m, hint)
		}
	}
	secretPlace(c.raw.Args.V, c.report)
	if looksSecret(c.raw.Endpoint.V) && !c.bad("endpoint") {
		c.report(c.raw.Endpoint.At, "the address looks as if it held a secret", "name the variable that holds the key in api_key_env")
	}
	for _, v := range []strict.Value[string]{c.raw.Command, c.raw.Probe} {
		secretPlace([]strict.Value[string]{v}, c.report)
	}
}

func values(m map[string]string) []string {
	var out []string
	for _, v := range m {
		out = append(out, v)
	}
	return out
}
