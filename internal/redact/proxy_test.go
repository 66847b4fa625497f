package redact_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/tolboy/warden/internal/redact"
)

func TestProxySecrets(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		env  string
		want []string
	}{
		{"HTTPS_PROXY=http://ann:hunter2hunter2@proxy:3128", []string{"hunter2hunter2"}},
		{"https_proxy=ann:hunter2hunter2@proxy:3128/", []string{"hunter2hunter2"}},
		{"ALL_PROXY=socks5://ann:p%40ss%2Fword@proxy", []string{"p%40ss%2Fword", "p@ss/word"}},
		{"HTTP_PROXY=http://ann:p@ss:word@proxy", []string{"p@ss:word"}},
		{"HTTP_PROXY=http://operator:pw@proxy", []string{"operator:pw"}},
		{"HTTP_PROXY=http://proxy:3128", nil},
		{"HTTP_PROXY=http://ann@proxy:3128", nil},
		{"NO_PROXY=ann:hunter2hunter2@proxy", nil},
		{"OTHER=http://ann:hunter2hunter2@proxy", nil},
	} {
		if got := redact.ProxySecrets([]string{tt.env}); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.env, got, tt.want)
		}
	}
	if _, err := redact.New(redact.ProxySecrets([]string{"HTTP_PROXY=http://a:b@proxy"})...); err == nil {
		t.Error("a password that cannot be looked for was passed over")
	}
}

// FuzzProxySecrets: whatever stands between a colon and the last @ is taken out.
func FuzzProxySecrets(f *testing.F) {
	for _, s := range []string{"http://ann:hunter2hunter2@proxy:3128", "a:b@c", "://:@", "x:%zz%zz%zz@y"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, address string) {
		for _, secret := range redact.ProxySecrets([]string{"HTTPS_PROXY=" + address}) {
			if secret == "" {
				t.Fatalf("%q: an empty secret", address)
			}
		}
		if strings.HasPrefix(address, "http://u:") && strings.Count(address, "@") == 1 && len(redact.ProxySecrets([]string{"HTTPS_PROXY=" + address})) == 0 {
			if pw, _, _ := strings.Cut(address[len("http://u:"):], "@"); pw != "" && !strings.Contains(address[len("http://"):], "://") {
				t.Fatalf("%q: no secret", address)
			}
		}
	})
}
