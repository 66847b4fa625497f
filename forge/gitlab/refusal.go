package gitlab

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tolboy/warden/forge"
)

// maxSaid bounds what is told of a server's own words, in bytes.
const maxSaid = 300

// refusal is an answer that is none of success.
func refusal(status int, header http.Header, body []byte) error {
	text := fmt.Sprintf("the server answered with status %d", status)
	if said := words(body); said != "" {
		text += fmt.Sprintf(": %q", said)
	}
	switch status {
	case http.StatusUnauthorized:
		return fmt.Errorf("%s: %w", text, forge.ErrUnauthorized)
	case http.StatusForbidden:
		return fmt.Errorf("%s: %w", text, forge.ErrForbidden)
	case http.StatusNotFound:
		return fmt.Errorf("%s: %w (a project that the credential cannot see is answered like that too)", text, forge.ErrNotFound)
	case http.StatusTooManyRequests:
		limit := &forge.RateLimitError{}
		if n, err := strconv.ParseInt(header.Get("Retry-After"), 10, 32); err == nil && n >= 0 {
			limit.Until = time.Now().Add(time.Duration(n) * time.Second)
		}
		return fmt.Errorf("%s: %w", text, limit)
	}
	return fmt.Errorf("%s", text)
}

// words is what the server says in an error, where it says it as text.
func words(body []byte) string {
	var answer struct {
		Message any    `json:"message"`
		Error   string `json:"error"`
	}
	if json.Unmarshal(body, &answer) != nil {
		return ""
	}
	said := answer.Error
	if m, ok := answer.Message.(string); ok && m != "" {
		said = m
	}
	if len(said) > maxSaid {
		said = strings.ToValidUTF8(said[:maxSaid], "") + " …"
	}
	return said
}
