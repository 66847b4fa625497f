package push

import (
	"encoding/base64"
	"net/url"
	"strings"
)

// without replaces the token, as it is and as basic authentication and URLs write it.
func (c Credential) without(text string) string {
	if c.Token == "" {
		return text
	}
	for _, secret := range []string{
		c.Token,
		base64.StdEncoding.EncodeToString([]byte(c.Username + ":" + c.Token)),
		base64.StdEncoding.EncodeToString([]byte(c.Token)),
		url.QueryEscape(c.Token),
		url.PathEscape(c.Token),
	} {
		text = strings.ReplaceAll(text, secret, "***")
	}
	return text
}
