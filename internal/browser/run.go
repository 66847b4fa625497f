package browser

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/tolboy/warden/internal/proc"
	"github.com/tolboy/warden/internal/scenario"
)

// Options say with what and at what is looked.
type Options struct {
	Browser string   // absolute path, as of Find
	Address string   // where a scenario begins that names no other: http or https
	Origins []string // what the pages may reach besides the address's own origin
	Dir     string   // an existing directory for the pictures; none is written over
	Ignore  []string // selectors whose elements' boxes are told with every picture
	// Parallel is how many scenarios are under way at a time; 0 is one for each
	// processor, at least two: a scenario often waits.
	Parallel int
	// Runner starts the browser; nil is proc.Run. A caller that confines the browser
	// hands its command on with a sandbox, in which Dir of the command is writable.
	Runner Runner
	// Unprivileged says that Runner starts the browser as an ordinary user although
	// this process is root, so that it keeps its own sandbox.
	Unprivileged bool
}

// unboxed reports whether the browser has to do without its own sandbox.
func (o Options) unboxed() bool { return os.Geteuid() == 0 && !o.Unprivileged }

// parallelMost bounds how many pages are open at a time.
const parallelMost = 8

func (o Options) parallel() int {
	if o.Parallel > 0 {
		return min(o.Parallel, parallelMost)
	}
	return min(max(2, runtime.NumCPU()), parallelMost)
}

// Run looks at the page with one browser, scenario by scenario, several at a time,
// each in a browser context of its own. Rows are in the order of list. The error is
// a *Missing when the browser does not start; another one says what else kept us
// from telling, and the report then holds what is known. A scenario that does not
// hold is a row, not an error. The caller bounds the whole by ctx.
func Run(ctx context.Context, list []scenario.Scenario, o Options) (report Report, err error) {
	began := time.Now()
	defer func() { report.Seconds = seconds(began) }()
	if info, err := os.Stat(o.Dir); err != nil || !info.IsDir() || !filepath.IsAbs(o.Dir) {
		return report, fmt.Errorf("write pictures to %q: it is no absolute path of a directory", o.Dir)
	}
	report.Origins = append([]string{origin(o.Address)}, o.Origins...)
	allowed, err := resolve(ctx, append([]string{o.Address}, o.Origins...))
	if err != nil {
		return report, err
	}
	shut, err := newGate(nil)
	if err != nil {
		return report, err
	}
	defer shut.close()
	run := o.Runner
	if run == nil {
		run = proc.Run
	}
	p, err := start(ctx, o.Browser, shut.address, o.unboxed(), run)
	report.StartSeconds = seconds(began)
	if err != nil {
		return report, err
	}
	report.Browser, report.Unboxed = p.version, o.unboxed()
	report.Scenarios, err = p.all(ctx, list, o, allowed)
	ending := time.Now()
	res, closeErr := p.close()
	report.EndSeconds = seconds(ending)
	report.Processes = res.Left
	return report, errors.Join(err, closeErr)
}

// all runs the scenarios, and stops with the first error of ours.
func (p *process) all(ctx context.Context, list []scenario.Scenario, o Options, allowed origins) ([]Scenario, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	rows := make([]Scenario, len(list))
	errs := make([]error, len(list))
	slots := make(chan struct{}, o.parallel())
	var wg sync.WaitGroup
	for i, s := range list {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			if rows[i], errs[i] = p.one(ctx, i, s, o, allowed); errs[i] != nil {
				cancel()
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return rows, err
		}
	}
	return rows, errors.Join(errs...)
}

// one runs one scenario.
func (p *process) one(ctx context.Context, index int, s scenario.Scenario, o Options, allowed origins) (Scenario, error) {
	start := time.Now()
	size := Size{Width: s.Viewport.Width, Height: s.Viewport.Height, Scale: 1, Mobile: s.Viewport.Mobile}
	row := Scenario{Raw: s.Text, Viewport: size, OK: true, Screenshots: []Screenshot{}, Steps: make([]Step, 0, len(s.Steps)), Console: []ConsoleError{}}
	if err := ctx.Err(); err != nil {
		row.fail("it was not run")
		return row, err
	}
	clock := &watch{}
	clock.turn(&clock.open)
	t, err := openTab(ctx, p, allowed, s.Viewport)
	if err != nil {
		row.fail("it was not run")
		return row, err
	}
	clock.turn(&clock.steps)
	r := &play{tab: t, scenario: s, options: o, row: &row, clock: clock, base: nameOf(index, s.Viewport)}
	err = r.whole(ctx)
	var ours *unwritten
	switch {
	case err == nil:
	case ctx.Err() != nil, errors.Is(err, errGone), errors.As(err, &ours):
		row.fail("it was not run to its end")
		if ctx.Err() != nil {
			err = ctx.Err() // whatever else failed, failed for that
		}
	default:
		row.fail(plain(err))
		err = nil
	}
	r.gather(ctx)
	clock.turn(&clock.close)
	t.close(ctx)
	row.Times = clock.times()
	row.Seconds = seconds(start)
	if err != nil {
		err = fmt.Errorf("run scenario %d: %w", index+1, err)
	}
	return row, err
}

// plain is the message of an error that the page is to blame for.
func plain(err error) string {
	for _, known := range []error{errSilent, errCrashed, errMoved} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	return cut(err.Error(), 400)
}

// fail notes the first reason; the later ones follow from it.
func (s *Scenario) fail(why string) {
	if s.OK {
		s.OK, s.Why = false, why
	}
}

func seconds(since time.Time) float64 { return rounded(time.Since(since)) }

func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Scheme + "://" + u.Host
}

// nameOf begins the names of a scenario's pictures. No two scenarios share one.
func nameOf(index int, v scenario.Viewport) string {
	mobile := ""
	if v.Mobile {
		mobile = "-mobile"
	}
	return fmt.Sprintf("%02d-%dx%d%s", index+1, v.Width, v.Height, mobile)
}
