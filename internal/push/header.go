package push

import (
	"encoding/base64"
	"net/url"
	"os"
)

// header is a file of settings by which git sends the credential with its first
// request to u, and to no other address: no helper is started, and the server is
// not asked twice. It is nil where the system has no such file.
func (c Credential) header(u *url.URL) (*os.File, error) {
	basic := base64.StdEncoding.EncodeToString([]byte(c.Username + ":" + c.Token))
	return memory("[http \"" + u.Scheme + "://" + u.Host + "/\"]\n\textraHeader = Authorization: Basic " + basic + "\n")
}
