package contract

import (
	"strings"

	"github.com/tolboy/warden/internal/strict"
)

// maxCaches bounds the places of a project's caches, and the files that key them.
const maxCaches = 10

// cachePath is one place of a cache, or one file that keys it.
func cachePath() strict.Rule {
	return strict.Checked("", func(s string) (string, string) {
		_, message, hint := normalPath(s)
		if message == "" && oneLine(s, 200) != "" {
			message = oneLine(s, 200)
		}
		return message, hint
	})
}

func oneForms(v strict.Value[[]strict.Value[string]]) []string {
	var out []string
	for _, item := range v.V {
		out = appendNew(out, oneForm(item.V))
	}
	return out
}

// checkCaches reports what the places of caches may not be together.
func (r *rawProject) checkCaches(report func(at strict.At, message, hint string)) {
	if r.CacheHome.Set && len(r.Setup.V) == 0 {
		report(r.CacheHome.At, "caches are filled by setup, and there is none", "add setup, or remove caches")
	}
	for _, list := range []strict.Value[[]strict.Value[string]]{r.CacheHome, r.CacheKeys} {
		if len(list.V) > maxCaches {
			report(list.At, "more than 10 entries", "name fewer")
		}
	}
	for i, a := range r.CacheHome.V {
		for _, b := range r.CacheHome.V[:i] {
			x, y := oneForm(a.V)+"/", oneForm(b.V)+"/"
			if strings.HasPrefix(x, y) || strings.HasPrefix(y, x) {
				report(a.At, "one cache lies in another", "name the outer one alone")
			}
		}
	}
}
