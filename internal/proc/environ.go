package proc

import (
	"runtime"
	"sort"
	"strings"
)

// allowed are the variables that a child inherits. Proxies and certificate
// bundles are needed to reach anything from behind a proxy. Of toolchains only
// the places of installations and downloaded modules pass; caches do not,
// because they would lie outside what a confined child may write. CI itself is
// absent: a gate runs alike on a laptop and on a runner.
var allowed = words(`
PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TERM COLORTERM NO_COLOR TMPDIR
HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY FTP_PROXY http_proxy https_proxy all_proxy no_proxy ftp_proxy
SSL_CERT_FILE SSL_CERT_DIR NIX_SSL_CERT_FILE NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE CURL_CA_BUNDLE
AWS_CA_BUNDLE PIP_CERT CARGO_HTTP_CAINFO DENO_CERT
GOROOT GOPATH GOMODCACHE GOTOOLCHAIN JAVA_HOME RUSTUP_HOME PYENV_ROOT VIRTUAL_ENV NVM_DIR VOLTA_HOME DOTNET_ROOT
` + MarkVariable)

// allowedWindows are what programs need there besides.
var allowedWindows = words(`
SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT TEMP TMP USERPROFILE USERNAME HOMEDRIVE HOMEPATH APPDATA
LOCALAPPDATA PROGRAMDATA PROGRAMFILES PROGRAMFILES(X86) COMMONPROGRAMFILES NUMBER_OF_PROCESSORS
PROCESSOR_ARCHITECTURE OS
`)

// secretWords mark a name that never passes by being allowed.
var secretWords = [...]string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "API_KEY", "APIKEY", "PRIVATE_KEY"}

func words(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(s) {
		set[w] = true
	}
	return set
}

// Environ returns the environment of a child: what of parent is on the list of
// harmless names, overlaid by extra. Nothing of a forge, a CI runner, a key
// agent or a loader passes, nor git's own settings; a vendor's key is passed by
// naming it in extra. The result is sorted and has each name once.
func Environ(parent []string, extra map[string]string) []string {
	return environ(runtime.GOOS, parent, extra)
}

func environ(goos string, parent []string, extra map[string]string) []string {
	fold := func(name string) string {
		if goos == "windows" {
			return strings.ToUpper(name)
		}
		return name
	}
	env := map[string]string{}
	for _, kv := range parent {
		name, _, ok := strings.Cut(kv, "=")
		if ok && passes(goos, fold(name)) && !strings.ContainsRune(kv, 0) {
			env[fold(name)] = kv
		}
	}
	for name, value := range extra {
		if name != "" && !strings.ContainsAny(name, "=\x00") && !strings.ContainsRune(value, 0) {
			env[fold(name)] = name + "=" + value
		}
	}
	out := make([]string, 0, len(env))
	for _, kv := range env {
		out = append(out, kv)
	}
	sort.Strings(out)
	return out
}

func passes(goos, name string) bool {
	upper := strings.ToUpper(name)
	for _, w := range secretWords {
		if strings.Contains(upper, w) {
			return false
		}
	}
	return allowed[name] || strings.HasPrefix(name, "LC_") || goos == "windows" && allowedWindows[name]
}

// lookup returns the value of name in env; the last one counts.
func lookup(goos string, env []string, name string) string {
	value := ""
	for _, kv := range env {
		k, v, ok := strings.Cut(kv, "=")
		if ok && (k == name || goos == "windows" && strings.EqualFold(k, name)) {
			value = v
		}
	}
	return value
}
