package browser

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"github.com/tolboy/warden/internal/proc"
)

// startLimit is how long a browser may take until it first answers: on a busy machine
// that is much longer than usual, and it says nothing of a page.
const startLimit = time.Minute

// Runner runs a command to its end, as proc.Run does. A caller that confines the
// browser fills the command's sandbox in and hands it on.
type Runner func(context.Context, proc.Command) (proc.Result, error)

// process is a browser that answers.
type process struct {
	wire    *wire
	version string
	profile string
	stop    context.CancelFunc
	ended   chan struct{}
	result  proc.Result // once ended is closed
	err     error

	mu   sync.Mutex
	tabs map[cdp.BrowserContextID]*tab
}

// start is launch, once more for a browser that ended before it answered. That was met
// once on a busy machine and its cause is not known; no page has had a say in it by then,
// so a second start hides nothing that is judged.
func start(ctx context.Context, path, gate string, unboxed bool, run Runner) (*process, error) {
	p, err := launch(ctx, path, gate, unboxed, run)
	var missing *Missing
	if errors.As(err, &missing) && missing.ended && ctx.Err() == nil {
		return launch(ctx, path, gate, unboxed, run)
	}
	return p, err
}

// launch starts the browser at path with an empty profile and waits until it
// answers. Two pipes are its descriptors 3 and 4; no port is opened.
func launch(ctx context.Context, path, gate string, unboxed bool, run Runner) (*process, error) {
	if runtime.GOOS == "windows" {
		return nil, &Missing{Named: path, Why: "on Windows a browser cannot be driven over a pipe of ours yet"}
	}
	profile, err := os.MkdirTemp("", "warden-browser-")
	if err != nil {
		return nil, fmt.Errorf("make a profile for the browser: %w", err)
	}
	if err := prefer(profile); err != nil {
		return nil, errors.Join(err, os.RemoveAll(profile))
	}
	p := &process{profile: profile, ended: make(chan struct{}), tabs: map[cdp.BrowserContextID]*tab{}}
	toR, toW, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("make a pipe to the browser: %w", err), os.RemoveAll(profile))
	}
	fromR, fromW, err := os.Pipe()
	if err != nil {
		toR.Close()
		toW.Close()
		return nil, errors.Join(fmt.Errorf("make a pipe from the browser: %w", err), os.RemoveAll(profile))
	}
	inner, stop := context.WithCancel(ctx)
	p.stop = stop
	go func() {
		defer close(p.ended)
		defer fromW.Close() // so that the reader ends with the browser
		defer toR.Close()
		p.result, p.err = run(inner, proc.Command{
			Argv: append([]string{path}, flags(profile, gate, unboxed)...),
			Env:  environment(os.Environ(), profile), Dir: profile,
			Grace: -1, MaxOutput: 64 << 10, ExtraFiles: []*os.File{toR, fromW},
		})
	}()
	p.wire = newWire(fromR, toW)
	p.wire.root.on = p.handlers()
	go p.wire.read(inner)
	context.AfterFunc(inner, p.wire.close) // a write to a browser that reads nothing ends too

	if err := p.greet(ctx); err != nil {
		over := ctx.Err()
		_, closeErr := p.close()
		if over != nil {
			return nil, errors.Join(fmt.Errorf("start the browser: %w", over), closeErr)
		}
		return nil, errors.Join(p.explain(err, path), closeErr)
	}
	return p, nil
}

// prefer writes the settings for which the browser has no flag: it must not reach out
// to where it thinks that its user may go next.
func prefer(profile string) error {
	dir := filepath.Join(profile, "Default")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return fmt.Errorf("make a profile for the browser: %w", err)
	}
	const settings = `{"net":{"network_prediction_options":2},"search":{"suggest_enabled":false},"alternate_error_pages":{"enabled":false}}`
	if err := os.WriteFile(filepath.Join(dir, "Preferences"), []byte(settings), 0o600); err != nil {
		return fmt.Errorf("make a profile for the browser: %w", err)
	}
	return nil
}

// greet waits for the first answer.
func (p *process) greet(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	v, err := call(ctx, p.wire.root, browser.GetVersion, cdp.Empty{})
	if err != nil {
		return err
	}
	p.version = v.Product
	_, err = call(ctx, p.wire.root, target.SetDiscoverTargets, target.SetDiscoverTargetsParams{Discover: true})
	return err
}

// explain says why the browser did not answer. It has ended.
func (p *process) explain(err error, path string) error {
	if p.result.StartErr != nil {
		return &Missing{Named: path, Why: "it cannot be started: " + p.result.StartErr.Error()}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &Missing{Named: path, Why: fmt.Sprintf("it did not answer within %s", startLimit)}
	}
	if errors.Is(err, errGone) {
		return &Missing{Named: path, ended: true, Why: fmt.Sprintf("it ended before it answered (status %d%s, %v): %s", p.result.ExitCode, p.result.Signal, err, lastLine(p.result.Stderr.Text()))}
	}
	return err
}

// close ends the browser with everything that it started, and takes its profile
// away. It returns how many processes were left.
func (p *process) close() (proc.Result, error) {
	p.stop()
	<-p.ended
	<-p.wire.ended
	err := os.RemoveAll(p.profile)
	if err != nil {
		err = fmt.Errorf("remove the browser's profile: %w", err)
	}
	return p.result, errors.Join(p.err, err)
}

// environment of the browser: where programs and its own things are, and nothing of
// the user's.
func environment(parent []string, profile string) []string {
	var own []string
	for _, kv := range proc.Environ(parent, map[string]string{"HOME": profile, "TMPDIR": profile, "LANG": "C.UTF-8", "TZ": "UTC"}) {
		switch name, _, _ := strings.Cut(kv, "="); name {
		case "PATH", "HOME", "TMPDIR", "LANG", "TZ", proc.MarkVariable:
			own = append(own, kv)
		}
	}
	return own
}

// flags of the browser. The gate is the proxy of whatever no scenario owns.
func flags(profile, gate string, root bool) []string {
	out := []string{
		"--headless=new", "--remote-debugging-pipe", "--user-data-dir=" + profile,
		"--disable-gpu", "--no-first-run", "--no-default-browser-check", "--no-startup-window",
		"--disable-extensions", "--disable-component-extensions-with-background-pages", "--disable-default-apps",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-domain-reliability",
		"--disable-client-side-phishing-detection", "--disable-breakpad", "--no-pings", "--disable-translate",
		"--password-store=basic", "--use-mock-keychain", "--disable-search-engine-choice-screen",
		// Pages that are not in front are drawn and timed like those that are.
		"--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows", "--disable-renderer-backgrounding",
		// A picture is the same on every machine.
		"--force-color-profile=srgb", "--hide-scrollbars", "--font-render-hinting=none", "--mute-audio", "--lang=en-US",
		// The page asks nobody for anything, and reaches the network only by the gate.
		"--deny-permission-prompts", "--disable-file-system",
		"--proxy-server=" + gate, "--proxy-bypass-list=<-loopback>",
		"--disable-quic", "--webrtc-ip-handling-policy=disable_non_proxied_udp", "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
		"--disable-features=" + strings.Join([]string{
			"Translate", "OptimizationHints", "MediaRouter", "DialMediaRouteProvider", "InterestFeedContentSuggestions",
			"AutofillServerCommunication", "CertificateTransparencyComponentUpdater", "PaintHolding", "AcceptCHFrame",
			"LocalNetworkAccessChecks", "HttpsUpgrades", "PreconnectToSearch", "NavigationPredictor", "SpareRendererForSitePerProcess",
			"AimServerEligibilityEnabled", "AimServerRequestOnStartupEnabled", // it asks its maker what it may offer, and a page would be blamed
		}, ","),
	}
	if root {
		out = append(out, "--no-sandbox") // Chromium refuses to start as root with it
	}
	return out
}

// lastLine is the end of what a program said, for a message of one line.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return cut(cmp.Or(strings.TrimSpace(lines[len(lines)-1]), "it said nothing"), 300)
}

// cut shortens s to at most n characters.
func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
