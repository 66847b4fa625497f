package vendor

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/tolboy/warden/internal/outcome"
)

var turnPhrases = [...]string{
	"max turns reached", "maximum number of turns", "max_turns exceeded", "error_max_turns",
	"maximum session turns", "max session turns", "fatalturnlimitederror",
}

// turnLimit returns the words that say a turn limit was reached.
func turnLimit(failures []Failure) string {
	for _, f := range failures {
		if p := match(f.all(), turnPhrases[:]); p != "" {
			return p
		}
	}
	return ""
}

var credentialPhrases = [...]string{
	"401 unauthorized", "403 forbidden", "unauthorized (401)", "invalid api key", "incorrect api key", "api key not valid",
	"not logged in", "not signed in", "please run /login", "failed to authenticate", "missing environment variable:",
	"api key required", "invalid authentication", "authentication_error", "invalid_api_key", "invalid auth method",
	"please set an auth method",
}

// credential reports the words by which a vendor refused the key it was given.
func credential(e Envelope, exit int, stderr []byte) string {
	for _, f := range decisive(e.Failures) {
		if f.Status == 401 || f.Status == 403 {
			return fmt.Sprintf("HTTP %d", f.Status)
		}
		if p := match(f.all(), credentialPhrases[:]); p != "" {
			return p
		}
	}
	for _, line := range plainLines(stderr) {
		if p := match(line, credentialPhrases[:]); p != "" {
			return p
		}
	}
	if e.Dialect == "gemini" {
		switch exit {
		case 41:
			return "exit 41, its own code for missing credentials"
		case 401 % 256:
			return "exit 145, HTTP 401"
		case 403 % 256:
			return "exit 147, HTTP 403"
		}
	}
	return ""
}

// ending is how one call's process and words add up.
type ending struct {
	code   outcome.Code
	detail string
	quota  *Quota
}

// failed classifies a call that did not bring an artifact: a spent plan before a
// rate limit, then the turn limit, then a refused credential, then the rest.
func failed(e Envelope, exit int, stderr []byte, signatures []string, otherwise outcome.Code, detail string) ending {
	if q := quota(e.Failures, stderr, signatures); q != nil {
		if q.Kind == SpentPlan {
			return ending{outcome.RoleQuotaExhausted, "the vendor says its plan is used up: " + q.Message, q}
		}
		return ending{outcome.RoleRateLimited, "the vendor limits the rate of requests: " + q.Message, q}
	}
	if e.TurnLimit != "" || e.Dialect == "gemini" && exit == 53 {
		why := e.TurnLimit
		if why == "" {
			why = "exit 53, its own code for the turn limit"
		}
		return ending{outcome.RoleTurnsExhausted, "the vendor stopped at its own turn limit (" + why + ")", nil}
	}
	if why := credential(e, exit, stderr); why != "" {
		return ending{outcome.RoleCredentialRejected, "the vendor refused the credential (" + why + ")", nil}
	}
	return ending{otherwise, detail, nil}
}

// lastWords is the vendor's own account of why the call ended, or "".
func lastWords(e Envelope) string {
	for i := len(e.Failures) - 1; i >= 0; i-- {
		if f := e.Failures[i]; f.Final && f.Text != "" {
			return cut(f.Text, maxMessage)
		}
	}
	if n := len(e.Failures); n > 0 {
		return cut(e.Failures[n-1].Text, maxMessage)
	}
	return ""
}

var statuses = regexp.MustCompile(`(?i)(?:status|code|http|api error)[^0-9\n]{0,12}([45]\d\d)\b|\(([45]\d\d)\)|\b([45]\d\d) (?:unauthorized|forbidden|too many requests|internal server|bad gateway|service unavailable|gateway timeout)`)

// statusIn reads the HTTP status that an error text names, or zero. When it
// names several, the first counts.
func statusIn(text string) int {
	if len(text) > 64<<10 {
		text = text[:64<<10]
	}
	m := statuses.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	n, err := strconv.Atoi(strings.Join(m[1:], ""))
	if err != nil {
		return 0
	}
	return n
}
