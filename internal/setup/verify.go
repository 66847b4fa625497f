package setup

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/redact"
)

// probeLimit ends a probe that does not end by itself.
const probeLimit = 10 * time.Minute

// Codes of a verification.
const (
	Verified        = "verified"
	AlreadyVerified = "already_verified"
	ProbeFailed     = "probe_failed"
	NoProbe         = "no_verification_block"
)

// VerifyRequest asks for one profile to be proven.
type VerifyRequest struct {
	Home    string // directory of the operator's home
	Profile policy.Profile
	Missing error    // why the profile's program cannot be started; nil when it can
	Environ []string // of this process
	Now     time.Time
	Limit   time.Duration // of the probe; 0 is 10 minutes
	picture string        // that the probe shows; "" for a profile without eyes
}

func (r VerifyRequest) limit() time.Duration {
	if r.Limit > 0 {
		return r.Limit
	}
	return probeLimit
}

// Verification is what came of a probe.
type Verification struct {
	OK         bool
	Code       string
	Message    string
	ExitCode   int
	TimedOut   bool
	ProbeOK    bool
	Transcript string
	StdoutTail string
	StderrTail string
	Stamped    bool
	VerifiedOn string
}

// Verify runs the profile's probe in the home, or asks its model server, keeps the
// transcript without the keys, and stamps the profile with the date when the probe passes: it ended with status 0 and
// printed what is expected of it. A profile that declares vision must also say what is
// in a picture that is drawn for it. The probe gets the keys that the profile names
// and no others. The error means that the probe could not be tried.
func Verify(ctx context.Context, r VerifyRequest) (Verification, error) {
	p := r.Profile
	if p.Verification.Probe == "" {
		return Verification{Code: NoProbe, Message: "the profile has no verification.probe to run"}, nil
	}
	secret, err := redact.New(keys(p, r.Environ)...)
	if err != nil {
		return Verification{}, fmt.Errorf("run the probe of %s: a key of it cannot be kept out of the transcript: %w", p.Name, err)
	}
	unseen := func(string) string { return "" }
	if p.Vision.Delivery != "" {
		if unseen, err = r.exam(); err != nil {
			return Verification{}, err
		}
	}
	try := script
	if p.Runner == "local" {
		try = question
	}
	res, err := try(ctx, r)
	if err != nil {
		return Verification{}, fmt.Errorf("run the probe of %s: %w", p.Name, err)
	}
	plain := func(text string) string {
		text, _ = secret.String(text)
		return text
	}
	v := Verification{ExitCode: res.exit, TimedOut: res.timedOut, StdoutTail: tail(plain(res.stdout)), StderrTail: tail(plain(res.stderr))}
	if v.Transcript, err = transcript(r, v, plain(res.stdout), plain(res.stderr)); err != nil {
		return v, err
	}
	missed := unseen(res.stdout)
	v.ProbeOK = res.exit == 0 && !res.timedOut && strings.Contains(res.stdout, p.Verification.Expect) && missed == ""
	switch {
	case res.exit == 0 && !res.timedOut && missed != "":
		v.Code, v.Message = ProbeFailed, missed
	case !v.ProbeOK:
		v.Code, v.Message = ProbeFailed, advice(v, r)
	case p.Verified():
		v.OK, v.Code, v.VerifiedOn = false, AlreadyVerified, p.Verification.VerifiedOn
		v.Message = "nothing to do: the probe passes, and the profile has been proven since " + p.Verification.VerifiedOn + "; its stamp stays. To stamp it anew, take verified_on out of the file first"
	default:
		v.VerifiedOn = r.Now.UTC().Format(time.DateOnly)
		if err := stamp(filepath.Join(r.Home, "profiles", p.Name+".yaml"), v.VerifiedOn); err != nil {
			return v, err
		}
		v.OK, v.Code, v.Stamped, v.Message = true, Verified, true, "read the transcript: the date says that the probe passed, not that you looked"
	}
	return v, nil
}

// exam draws a picture for a profile that declares vision. The function that it returns
// says why what was printed is no proof of sight, or "".
func (r *VerifyRequest) exam() (unseen func(said string) string, err error) {
	p := r.Profile
	if !strings.Contains(p.Verification.Probe, pictureVariable) {
		return func(string) string {
			return fmt.Sprintf("the profile declares capabilities.vision, and its probe shows no picture; let it show the file $%s and ask for the number in it and its colour", pictureVariable)
		}, nil
	}
	asked, err := pose()
	if err != nil {
		return nil, err
	}
	if r.picture, err = asked.hang(r.Home, p.Name); err != nil {
		return nil, err
	}
	return func(said string) string {
		if asked.solved(said) {
			return ""
		}
		return fmt.Sprintf("the picture %s shows %s, and the answer names not both, so that nothing proves that pictures reach the model; see the transcript", r.picture, asked)
	}, nil
}

func transcript(r VerifyRequest, v Verification, stdout, stderr string) (string, error) {
	dir := filepath.Join(r.Home, "verification")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	path := filepath.Join(dir, r.Profile.Name+".txt")
	text := fmt.Sprintf("probe: %s\nat: %s\nexit status: %d, timed out: %v\n\n--- stdout\n%s\n--- stderr\n%s\n",
		r.Profile.Verification.Probe, r.Now.UTC().Format(time.RFC3339), v.ExitCode, v.TimedOut, stdout, stderr)
	return path, os.WriteFile(path, []byte(text), 0o600)
}

// advice says which knob to turn for a probe that did not pass.
func advice(v Verification, r VerifyRequest) string {
	p := r.Profile
	said := strings.ToLower(v.StdoutTail + "\n" + v.StderrTail)
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(said, w) {
				return true
			}
		}
		return false
	}
	switch {
	case r.Missing != nil && p.Runner == "orca":
		return fmt.Sprintf("install Orca, then prove the profile again: %v", r.Missing)
	case r.Missing != nil:
		return fmt.Sprintf("install %s, then prove the profile again: %v", p.Command, r.Missing)
	case v.TimedOut:
		return "the probe was ended by the time limit; see whether the CLI waits for an answer"
	case p.Runner == "local" && v.ExitCode != 0:
		return "the model server did not answer as it should: " + strings.TrimSpace(v.StderrTail)
	case has("newer version", "requires a newer", "update the cli", "upgrade"):
		return "the model needs a newer version of the CLI"
	case has("not logged in", "not signed in", "log in", "login", "unauthorized", "api key", "missing environment variable"):
		return "the CLI is not logged in, or has no key: " + strings.Join(p.APIKeyEnv, ", ")
	case v.ExitCode == 0:
		return fmt.Sprintf("the probe ended well and did not print the expected %q", p.Verification.Expect)
	}
	return "read " + v.Transcript + ", and correct the profile's args"
}

// stamp writes verified_on into the verification block and leaves every other
// byte of the file, comments included, as it is.
func stamp(path, date string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("stamp the profile: %w", err)
	}
	lines := strings.SplitAfter(string(data), "\n")
	for i, line := range lines {
		if strings.TrimRight(line, " \r\n") != "verification:" {
			continue
		}
		indent := "  "
		if i+1 < len(lines) {
			next := lines[i+1]
			if n := len(next) - len(strings.TrimLeft(next, " ")); n > 0 {
				indent = next[:n]
			}
		}
		lines[i] += fmt.Sprintf("%sverified_on: %q\n", indent, date)
		return os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600)
	}
	return fmt.Errorf("stamp the profile: %s has no verification block of its own lines", path)
}

func tail(s string) string {
	const most = 1500
	if len(s) > most {
		s = strings.ToValidUTF8(s[len(s)-most:], "")
	}
	return s
}
