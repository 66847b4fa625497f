package browser

import (
	"os"
	"path/filepath"
	"runtime"

	"github.com/tolboy/warden/internal/proc"
)

// Variable is the environment variable that names the browser to use.
const Variable = "WARDEN_BROWSER"

// Missing says that there is no browser to look with. It says nothing of the page
// and of no fault of the work.
type Missing struct {
	Named string // the path that was asked for, or ""
	Why   string

	ended bool // it was there, and ended before it answered
}

// Error implements error.
func (m *Missing) Error() string {
	if m.Named != "" {
		return "find a browser: " + m.Named + ": " + m.Why
	}
	return "find a browser: " + m.Why
}

// names are the programs that are looked for on PATH, the plainest first.
func names() []string {
	return []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge", "microsoft-edge-stable"}
}

// places are where the systems' installers put a browser that is on no PATH.
func places(goos string, env func(string) string) []string {
	switch goos {
	case "darwin":
		return []string{
			"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
			"/Applications/Chromium.app/Contents/MacOS/Chromium",
			"/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
		}
	case "windows":
		var out []string
		for _, root := range []string{env("PROGRAMFILES"), env("PROGRAMFILES(X86)"), env("LOCALAPPDATA")} {
			if root != "" {
				out = append(out, filepath.Join(root, "Google", "Chrome", "Application", "chrome.exe"),
					filepath.Join(root, "Microsoft", "Edge", "Application", "msedge.exe"))
			}
		}
		return out
	}
	return []string{"/usr/bin/chromium", "/usr/lib/chromium/chromium", "/snap/bin/chromium", "/opt/google/chrome/chrome"}
}

// Find returns the absolute path of the browser: the given one, that of
// WARDEN_BROWSER in env, or the first well-known one outside of the trees that are
// worked on, of which dirs are some. What is named and cannot be started is not
// replaced by another. The error is a *Missing.
func Find(given string, env []string, dirs ...string) (string, error) {
	vars := map[string]string{}
	for _, kv := range env {
		for i := range kv {
			if kv[i] == '=' {
				vars[kv[:i]] = kv[i+1:]
				break
			}
		}
	}
	if given == "" {
		given = vars[Variable]
	}
	if given != "" {
		return named(given, env, dirs)
	}
	for _, name := range names() {
		if path, err := proc.LookOutside(name, env, dirs...); err == nil {
			return path, nil
		}
	}
	for _, path := range places(runtime.GOOS, func(k string) string { return vars[k] }) {
		if found, err := named(path, env, dirs); err == nil {
			return found, nil
		}
	}
	return "", &Missing{Why: "no Chromium, Chrome or Edge is installed where they are looked for; install one, or name it in " + Variable}
}

func named(path string, env, dirs []string) (string, error) {
	if !filepath.IsAbs(path) {
		found, err := proc.LookOutside(path, env, dirs...)
		if err != nil {
			return "", &Missing{Named: path, Why: err.Error()}
		}
		return found, nil
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", &Missing{Named: path, Why: "it cannot be looked at: " + err.Error()}
	case !info.Mode().IsRegular() || runtime.GOOS != "windows" && info.Mode()&0o111 == 0:
		return "", &Missing{Named: path, Why: "it is no program that can be started"}
	case proc.Inside(path, dirs...) != "":
		return "", &Missing{Named: path, Why: "it lies in a tree that is worked on, where the work could have put it"}
	}
	return path, nil
}
