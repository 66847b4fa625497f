package metrics

import "cmp"

// folder adds up the facts of runs.
type folder struct {
	out                                 Ledger
	cost, input, output, tokens, millis values
	wait                                values
	seen                                map[string]bool // hashes of run.json that are counted
}

func newFolder() *folder {
	by := func() map[string]int { return map[string]int{} }
	return &folder{seen: map[string]bool{}, out: Ledger{
		SchemaVersion: SchemaVersion, Runs: []Run{}, Unverified: []Unverified{}, NotUnderstood: []Newer{},
		Future: []string{"failures.visual_qa", "failures.visual_harness"},
		Metrics: Metrics{SchemaVersion: SchemaVersion, Human: Human{ByDecision: by()},
			RoleRuns: RoleRuns{ByRole: by(), ByProfile: by(), ByVendor: by(), ByModel: by(), ByRunner: by(), ByOutcome: by()}},
	}}
}

// add takes in one run that was read, or why it was not.
func (o *folder) add(r reading) {
	l := &o.out
	if r.facts != nil && r.run != "" {
		if o.seen[r.run] {
			l.Copies++
			return
		}
		o.seen[r.run] = true
	}
	l.RunCount++
	row := Run{RunID: r.id, Project: r.project, Verdict: Damaged, Events: r.events}
	o.doubt(r)
	if r.facts == nil {
		l.Runs = append(l.Runs, row)
		return
	}
	row.Verdict = r.facts.verdict(r.dryRun, r.events)
	l.Runs = append(l.Runs, row)
	switch row.Verdict {
	case Passed:
		l.Passed++
	case Failed:
		l.Failed++
	case Unfinished:
		l.Unfinished++
	case DryRun:
		l.DryRuns++
	case Prepared:
		l.Prepared++
	case NotPrepared:
		l.NotPrepared++
	case NoEvidence:
		l.NoEvidence++
	}
	o.facts(r.facts)
}

// doubt names a ledger that keeps the sums from being exact.
func (o *folder) doubt(r reading) {
	l := &o.out
	switch {
	case r.facts == nil:
		l.Unverified = append(l.Unverified, Unverified{RunID: r.id, Project: r.project, Code: r.code, First: r.first})
	case r.newer > 0:
		l.NotUnderstood = append(l.NotUnderstood, Newer{RunID: r.id, Project: r.project, Events: r.newer})
	}
}

func (o *folder) facts(f *facts) {
	m := &o.out.Metrics
	for _, c := range f.calls {
		o.call(c)
	}
	m.Iterations.Failovers += f.failovers
	m.Iterations.FailoverRoleRuns += f.switched
	m.Iterations.FixRounds += f.rounds
	m.Failures.Baseline += f.failures.Baseline
	m.Failures.MachineGate += f.failures.MachineGate
	m.Failures.VisualRole += f.failures.VisualRole
	m.Failures.Quota += f.failures.Quota
	m.Failures.Configuration += f.failures.Configuration
	for _, a := range f.answers {
		if a.Source == "automatic" {
			m.Human.Automatic++ // nobody was waited for
			continue
		}
		m.Human.Decisions++
		m.Human.ByDecision[cmp.Or(a.Decision, Unknown)]++
		o.wait.add(a.Wait)
	}
	if f.asked {
		o.wait.add(nil)
	}
}

func (o *folder) call(c call) {
	r := &o.out.Metrics.RoleRuns
	r.Total++
	r.ByRole[cmp.Or(c.role, Unknown)]++
	r.ByProfile[cmp.Or(c.Profile, Unknown)]++
	r.ByVendor[cmp.Or(c.Vendor, Unknown)]++
	r.ByModel[cmp.Or(c.ModelReported, c.Model, Unknown)]++
	r.ByRunner[cmp.Or(c.Runner, Unknown)]++
	r.ByOutcome[cmp.Or(string(c.Code), Unknown)]++
	o.cost.add(c.Usage.Cost)
	o.input.add(c.Usage.Input)
	o.output.add(c.Usage.Output)
	o.tokens.add(c.Usage.tokens())
	o.millis.add(c.Duration)
}

// result closes the sums. None is exact while a ledger is missing from it.
func (o *folder) result() Ledger {
	l := o.out
	unsure := len(l.Unverified) + len(l.NotUnderstood)
	l.Complete = unsure == 0
	l.Metrics.Iterations.FixRoundsUnknown = unsure
	l.Metrics.Telemetry = Telemetry{
		CostUSD:  o.cost.sum(l.Complete),
		Tokens:   Tokens{Input: o.input.sum(l.Complete), Output: o.output.sum(l.Complete), Total: o.tokens.sum(l.Complete)},
		Duration: o.millis.spread(l.Complete),
	}
	l.Metrics.Human.Wait = o.wait.spread(l.Complete)
	l.Metrics.Human.WaitEvents = l.Metrics.Human.Wait.Known + l.Metrics.Human.Wait.Unknown
	return l
}
