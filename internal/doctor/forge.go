package doctor

import "strings"

// Hint explains a refusal by the words that the forge uses for it.
type Hint struct {
	Text   string `json:"text"`
	Means  string `json:"means"`
	Remedy string `json:"remedy"`
}

// Hints are the refusals of GitHub that a person has to resolve, in a fixed order.
func Hints() []Hint {
	return []Hint{
		{"GitHub Actions is not permitted to create or approve pull requests", "a switch of the organisation or of the repository forbids it, whatever the workflow's permissions say",
			"turn on \"Allow GitHub Actions to create and approve pull requests\" at both levels (Settings > Actions > General), or use the token of a GitHub App"},
		{"Resource not accessible by integration", "the token lacks a permission, or the event came from a fork",
			"give the job the permissions named here; a fork's event gets none"},
		{"refusing to allow a GitHub App to create or update workflow", "the candidate changes .github/workflows, which our token may not push",
			"keep workflows out of the task's scope; a person changes them"},
		{"Draft pull requests are not supported in this repository", "the plan of this private repository has no drafts",
			"nothing to do: the pull request is opened without a draft state and says so"},
		{"deny updating a hidden ref", "the forge keeps that name space for itself",
			"nothing to do: the ledger goes to a branch"},
		{"You have exceeded a secondary rate limit", "too many requests in a short time",
			"wait; the run continues when it is started again"},
	}
}

// Explain returns the hint whose words a refusal contains.
func Explain(refusal string) (Hint, bool) {
	for _, h := range Hints() {
		if strings.Contains(strings.ToLower(refusal), strings.ToLower(h.Text)) {
			return h, true
		}
	}
	return Hint{}, false
}

// forgeOf reports what the environment says of a forge; nil outside of CI.
func forgeOf(env map[string]string, variables []string) *Forge {
	if env["GITHUB_ACTIONS"] != "true" {
		return nil
	}
	f := &Forge{
		Assumed: "github", Because: "GITHUB_ACTIONS is true", Repository: env["GITHUB_REPOSITORY"], API: env["GITHUB_API_URL"], LookedIn: variables,
		Permissions: []string{"contents: write", "issues: write", "pull-requests: write", "checks: write"}, Hints: Hints(),
	}
	for _, name := range variables {
		if env[name] != "" {
			f.TokenPresent, f.TokenVariable = true, name
			return f
		}
	}
	f.Next = "pass the token to the step: env: { GITHUB_TOKEN: ${{ github.token }} }"
	return f
}
