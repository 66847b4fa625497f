package redact

import (
	"net/url"
	"strings"
)

// proxies are the variables that name a proxy, and with it often who may use it.
var proxies = [...]string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "FTP_PROXY"}

// ProxySecrets are the passwords in the proxies that an environment names, as they
// stand there and as they are meant. One that is too short to be looked for by itself
// stands with its user; together they may still be too short, and New refuses them.
func ProxySecrets(environ []string) []string {
	var out []string
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		for _, p := range proxies {
			if strings.EqualFold(name, p) {
				out = append(out, passwords(value)...)
			}
		}
	}
	return out
}

// passwords takes an address apart as leniently as the programs that use it.
func passwords(address string) []string {
	if _, rest, ok := strings.Cut(address, "://"); ok {
		address = rest
	}
	at := strings.LastIndexByte(address, '@')
	if at < 0 {
		return nil
	}
	who := address[:at]
	_, raw, ok := strings.Cut(who, ":")
	if !ok || raw == "" {
		return nil
	}
	out := []string{raw}
	if len(raw) < MinLength {
		return []string{who}
	}
	if meant, err := url.PathUnescape(raw); err == nil && meant != raw {
		if len(meant) < MinLength {
			return []string{raw, who}
		}
		out = append(out, meant)
	}
	return out
}
