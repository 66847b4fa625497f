package cli

import (
	"io"

	"github.com/tolboy/warden/internal/redact"
)

// hiding keeps the passwords of proxies out of what is printed: programs that could
// not reach something say by which address they tried.
type hiding struct {
	to  io.Writer
	set *redact.Set
}

// hideProxy returns the writer itself where no proxy has a password. One that is too
// short to be looked for is refused where evidence is written.
func hideProxy(environ []string, to io.Writer) io.Writer {
	secrets := redact.ProxySecrets(environ)
	if len(secrets) == 0 {
		return to
	}
	set, err := redact.New(secrets...)
	if err != nil {
		return to
	}
	return hiding{to, set}
}

// Write writes whole texts, as they come.
func (h hiding) Write(p []byte) (int, error) {
	clean, _ := h.set.Bytes(p)
	if _, err := h.to.Write(clean); err != nil {
		return 0, err
	}
	return len(p), nil
}
