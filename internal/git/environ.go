package git

import "strings"

// fixed are settings that win over every file of a repository. A setting that
// names a program is either emptied, which git takes as "none", or pointed at a
// program that is harmless.
var fixed = []string{
	"core.hooksPath=/dev/null",
	"core.fsmonitor=false",
	"core.untrackedCache=false",
	"core.attributesFile=/dev/null",
	"core.sshCommand=ssh -o BatchMode=yes",
	"core.gitProxy=",
	"core.askPass=",
	"core.pager=cat",
	"core.editor=false",
	"core.trustctime=true",
	"core.checkStat=default",
	"core.quotePath=true",
	"diff.external=",
	"credential.helper=",
	"protocol.ext.allow=never",
	"safe.directory=*",
	"safe.bareRepository=explicit",
	"submodule.recurse=false",
	"fetch.recurseSubmodules=false",
	"push.recurseSubmodules=no",
	"push.gpgSign=false",
	"commit.gpgSign=false",
	"log.showSignature=false",
	"gc.auto=0",
	"maintenance.auto=false",
	"advice.detachedHead=false",
}

// cleanEnv drops every GIT_ variable of base and adds ours, and what parent says of
// the way to a remote.
func cleanEnv(base, parent []string) []string {
	return append(append(withoutGit(base), reach(parent)...),
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_ATTR_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0",
		"GIT_NO_REPLACE_OBJECTS=1",
		"GIT_OPTIONAL_LOCKS=0",
		"GIT_PAGER=cat",
		"LC_ALL=C",
	)
}

// reach says in git's words what other programs read of proxies and certificates:
// curl takes the proxy of plain http in small letters only, and knows no SSL_CERT_FILE.
// What is on this machine is reached without a proxy.
func reach(parent []string) []string {
	var env []string
	for _, as := range [][2]string{{"GIT_SSL_CAINFO", "SSL_CERT_FILE"}, {"GIT_SSL_CAPATH", "SSL_CERT_DIR"}, {"http_proxy", "HTTP_PROXY"}} {
		v, ok := lookup(parent, as[0])
		if !ok {
			v, ok = lookup(parent, as[1])
		}
		if ok && v != "" && (as[0] != "GIT_SSL_CAPATH" || !strings.Contains(v, ":")) {
			env = append(env, as[0]+"="+v)
		}
	}
	skip := "localhost,127.0.0.1,::1"
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		if v, ok := lookup(parent, name); ok && v != "" {
			skip = v + "," + skip
		}
	}
	return append(env, "no_proxy="+skip)
}

// operatorEnv is for one purpose: to read the operator's settings. git config
// runs no program, so the files may be the operator's.
func operatorEnv(base, parent []string) []string {
	env := append(withoutGit(base), "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_PAGER=cat", "LC_ALL=C")
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"} {
		if v, ok := lookup(parent, name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

func withoutGit(env []string) []string {
	out := make([]string, 0, len(env)+16)
	for _, kv := range env {
		if !strings.HasPrefix(kv, "GIT_") && !strings.HasPrefix(kv, "LC_ALL=") {
			out = append(out, kv)
		}
	}
	return out
}

func lookup(env []string, name string) (string, bool) {
	for i := len(env) - 1; i >= 0; i-- {
		if k, v, ok := strings.Cut(env[i], "="); ok && k == name {
			return v, true
		}
	}
	return "", false
}

// quietDiff switches off, right after the subcommand, the two ways in which a
// diff runs a program that a repository names.
func quietDiff(args []string) []string {
	switch subcommand(args) {
	case "diff", "diff-tree", "diff-index", "diff-files", "log", "show":
		return append([]string{args[0], "--no-ext-diff", "--no-textconv"}, args[1:]...)
	}
	return args
}
