package github

import (
	"net/url"
	"strings"

	"github.com/tolboy/warden/forge"
)

// FileURL is the address at which people see a file of the repository at a commit, which
// need not be on a branch. With ?raw=true behind it the forge gives the file itself, to
// whoever is signed in and may read the repository. The path has forward slashes.
func FileURL(server string, repo forge.Repo, commit, path string) string {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return strings.TrimRight(server, "/") + "/" + url.PathEscape(repo.Owner) + "/" + url.PathEscape(repo.Name) + "/blob/" + url.PathEscape(commit) + "/" + strings.Join(parts, "/")
}
