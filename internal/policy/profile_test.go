package policy

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const minimalProfile = "version: 1\nprofile: coder\nrole: implementer\nvendor: acme\ncommand: acme\n"

func TestProfileDefaults(t *testing.T) {
	t.Parallel()
	got, err := ParseProfile("f", "coder", []byte(minimalProfile))
	if err != nil {
		t.Fatal(err)
	}
	want := Profile{
		Name: "coder", Role: "implementer", Vendor: "acme", Runner: "direct", Command: "acme", ReadOnly: true, WallClock: 20 * time.Minute,
		EnforceSchema: true, PromptDelivery: "argv", Sandbox: "warden",
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Profile{}, "Raw", "SHA256")); diff != "" {
		t.Errorf("profile (-want +got):\n%s", diff)
	}
	if string(got.Raw) != minimalProfile || len(got.SHA256) != 64 || got.Verified() {
		t.Errorf("raw %q, digest %q, verified %v", got.Raw, got.SHA256, got.Verified())
	}
}

func TestProfileValues(t *testing.T) {
	t.Parallel()
	parse := func(extra string) Profile {
		t.Helper()
		p, err := ParseProfile("f", "", []byte(minimalProfile+extra))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if p := parse("verification: {verified_on: 2026-08-25}\n"); !p.Verified() || p.Verification.VerifiedOn != "2026-08-25" {
		t.Errorf("verified on %q", p.Verification.VerifiedOn)
	}
	if p := parse("verification: {verified_on: , probe: x}\n"); p.Verified() {
		t.Error("an empty day verifies the profile")
	}
	if p := parse("api_key_env: ACME_API_KEY\n"); !slices.Equal(p.APIKeyEnv, []string{"ACME_API_KEY"}) {
		t.Errorf("key names %q", p.APIKeyEnv)
	}
	if p := parse("api_key_env: [A_KEY, B_KEY]\nhome: {share: [.acme/auth.json, .config/acme]}\n"); len(p.APIKeyEnv) != 2 || len(p.HomeShare) != 2 {
		t.Errorf("key names %q, shared %q", p.APIKeyEnv, p.HomeShare)
	}
	env := parse("model: m-1\nenv:\n  MAX_OUTPUT_TOKENS: \"32000\"\n  MODEL: \"{{model}}\"\n  BASE_URL: http://127.0.0.1:8080/v1\n  CONFIG: '{\"a\":{\"b\":true}}'\n  GOOGLE_APPLICATION_CREDENTIALS: /etc/acme/key.json\n").Env
	if len(env) != 5 || env["MODEL"] != "{{model}}" {
		t.Errorf("env %v", env)
	}
	// CF-06: a list over two lines is the whole list.
	if p := parse("args: [\"a\",\n  \"b\"]\n"); !slices.Equal(p.Args, []string{"a", "b"}) {
		t.Errorf("CF-06: args %q", p.Args)
	}
	if p := parse("attachments: {flag: -i}\n"); p.Vision.Delivery != "cli_attachment" {
		t.Errorf("vision %+v", p.Vision)
	}
	if p, err := ParseProfile("f", "", []byte(strings.Replace(minimalProfile, "command", "runner: orca\ncommand", 1))); err != nil || p.PromptDelivery != "workspace_file" {
		t.Errorf("orca: delivery %q, %v", p.PromptDelivery, err)
	}
}

// What reaches the vendor is taken: a model by its name or its placeholder, and a
// key that does not leave this machine, or leaves it unread.
func TestProfileTaken(t *testing.T) {
	t.Parallel()
	server := "version: 1\nprofile: near\nrole: reviewer\nvendor: acme\nmodel: m\nrunner: local\napi_key_env: K\nendpoint: "
	for name, in := range map[string]string{
		"PM-06_model_by_name":        minimalProfile + "model: m-1\nargs: [--model=m-1]\n",
		"PM-06_model_by_placeholder": minimalProfile + "model: m-1\nargs: [\"{{model}}\"]\n",
		"PM-06_model_in_env":         minimalProfile + "model: m-1\nenv: {MODEL: \"{{model}}\"}\n",
		"SE-03_key_to_127":           server + "http://127.0.0.1:1/v1\n",
		"SE-03_key_to_ipv6":          server + "http://[::1]:1/v1\n",
		"SE-03_key_to_localhost":     server + "http://LocalHost:1/v1\n",
		"SE-03_key_over_tls":         server + "https://models.example/v1\n",
	} {
		if _, err := ParseProfile("f", "", []byte(in)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestProfileFaults(t *testing.T) {
	t.Parallel()
	const m = minimalProfile
	local := "version: 1\nprofile: coder\nrole: architect\nvendor: acme\nmodel: m\nrunner: local\nendpoint: http://127.0.0.1:1/v1\n"
	orca := m + "runner: orca\n"
	eyes := strings.Replace(m, "role: implementer", "role: visual_qa", 1)
	const share = " (a path relative to your home directory, such as .codex/auth.json)"
	const where = " (put it into a variable of the environment and name that in api_key_env)"
	tests := []struct {
		name, in string
		want     []string
	}{
		{"empty", "", []string{
			"f:1: version: the key is missing (the version of this file, 1)",
			"f:1: profile: the key is missing (the name of the profile, as in the name of its file)",
			"f:1: role: the key is missing (the role that it fills)",
			"f:1: vendor: the key is missing (whose model it is; a reviewer must not share it with a writer)",
			"f:1: command: the key is missing (the program to run; only runner local has none)"}},
		{"stem", strings.Replace(m, "coder", "codex", 1), []string{`f:2: profile: the profile is called "codex", and its file "coder" (give both one name)`}},
		{"role", strings.Replace(m, "implementer", "implementor", 1), []string{`f:3: role: unknown word "implementor" (did you mean "implementer"?)`}},
		{"PM-04_placeholder", m + "args: [\"{{promt}}\"]\n", []string{`f:6: args[1]: unknown placeholder {{promt}} (did you mean "prompt"?)`}},
		{"PM-04_placeholder_inside", m + "args: [\"--x={{ task }}\"]\n", []string{
			`f:6: args[1]: unknown placeholder {{ task }} (allowed: prompt, prompt_file, schema_json, repo_root, run_id, task_id, model, effort, tools, evidence_dir)`}},
		{"PM-04_placeholder_later", m + "args: [\"{{mcp_config}}\"]\n", []string{`f:6: args[1]: unknown placeholder {{mcp_config}} (this version of Warden does not have it)`}},
		{"PM-04_placeholder_open", m + "args: [\"{{prompt\"]\n", []string{`f:6: args[1]: a placeholder is not closed (write {{name}})`}},
		{"PM-04_placeholder_env", m + "env: {A: \"{{modle}}\"}\n", []string{`f:6: env.A: unknown placeholder {{modle}} (did you mean "model"?)`}},
		{"model_unset", m + "args: [\"{{model}}\"]\n", []string{`f:6: model: {{model}} is used, and no model is set (set model, or remove the placeholder)`}},
		{"effort_unset", m + "args: [\"{{effort}}\"]\n", []string{`f:6: effort: {{effort}} is used, and no effort is set (set effort, or remove the placeholder)`}},
		{"effort_unused", m + "effort: high\n", []string{`f:6: effort: the effort reaches nobody (pass {{effort}} in args)`}},
		{"effort_form", m + "effort: High\n", []string{`f:6: effort: not a level of effort (a lower-case word, such as high)`}},
		{"effort_local", local + "effort: high\n", []string{`f:8: effort: runner local has no level of effort (remove the key)`}},
		{"effort_orca", orca + "effort: high\n", []string{`f:7: effort: runner orca takes an effort only with a model (set model)`}},
		{"command_local", local + "command: x\n", []string{`f:8: command: runner local starts no program (remove the key, or set runner: direct)`}},
		{"endpoint_missing", strings.Replace(local, "endpoint: http://127.0.0.1:1/v1\n", "", 1), []string{`f:1: endpoint: the key is missing (runner local needs the address of a model server)`}},
		{"endpoint_form", strings.Replace(local, "http://127.0.0.1:1/v1", "127.0.0.1", 1), []string{`f:7: endpoint: not an address (write http:// or https:// and a host)`}},
		{"endpoint_password", strings.Replace(local, "http://", "http://u:p@", 1), []string{`f:7: endpoint: the address holds a user or a password (name the variable that holds the key in api_key_env)`}},
		{"endpoint_with_a_key", strings.Replace(local, "1/v1", "1/v1?key=AbCd0123EfGh4567IjKl8901MnOp2345", 1), []string{
			`f:7: endpoint: the address looks as if it held a secret (name the variable that holds the key in api_key_env)`}},
		{"SE-03_key_in_the_clear", strings.Replace(local, "127.0.0.1:1", "models.example", 1) + "api_key_env: K\n", []string{
			`f:7: endpoint: the key would go over the network in the clear (write https://, or take api_key_env out)`}},
		{"local_without_a_model", strings.Replace(local, "model: m\n", "", 1), []string{`f:1: model: the key is missing (a model server has to be told which model is meant)`}},
		{"local_writer", strings.Replace(local, "architect", "implementer", 1), []string{`f:3: role: runner local has no tools, so it cannot write (a role that reads)`}},
		{"local_that_may_write", local + "read_only: false\n", []string{`f:8: read_only: runner local has no tools, so it cannot write (remove the key)`}},
		{"CF-08_local_keys_of_a_program", local + "args: [a]\nenv: {A: b}\nprompt_delivery: stdin\nsandbox: none\nhome: {share: [.acme]}\n", []string{
			`f:8: args: runner local starts no program, so this reaches nobody (remove the key)`,
			`f:9: env: runner local starts no program, so this reaches nobody (remove the key)`,
			`f:10: prompt_delivery: runner local starts no program, so this reaches nobody (remove the key)`,
			`f:11: sandbox: runner local starts no program, so this reaches nobody (remove the key)`,
			`f:12: home.share: runner local starts no program, so this reaches nobody (remove the key)`}},
		{"PM-06_model_unused", m + "model: m-1\nargs: [--json]\n", []string{`f:6: model: the model reaches nobody (pass {{model}} in args, or in env)`}},
		{"PM-06_effort_of_nobody", m + "model: m-1\neffort: high\nargs: [\"{{model}}\"]\n", []string{`f:7: effort: the effort reaches nobody (pass {{effort}} in args)`}},
		{"endpoint_direct", m + "endpoint: http://h/\n", []string{`f:6: endpoint: only runner local has an endpoint (remove the key, or set runner: local)`}},
		{"orca_args", orca + "args: [a]\n", []string{`f:7: args: runner orca takes no arguments (remove the key)`}},
		{"CF-08_orca_keys_of_a_program", orca + "env: {A: b}\napi_key_env: K\nsandbox: warden\nhome: {share: [.acme]}\n", []string{
			`f:7: env: a worker of Orca runs in Orca's own terminal, so this reaches nobody (remove the key)`,
			`f:8: api_key_env: a worker of Orca runs in Orca's own terminal, so this reaches nobody (remove the key)`,
			`f:9: sandbox: a worker of Orca runs in Orca's own terminal, so this reaches nobody (remove the key)`,
			`f:10: home.share: a worker of Orca runs in Orca's own terminal, so this reaches nobody (remove the key)`}},
		{"orca_delivery", orca + "prompt_delivery: stdin\n", []string{`f:7: prompt_delivery: workspace_file is the delivery of runner orca, and of no other (argv or stdin for a program that is run directly)`}},
		{"direct_delivery", m + "prompt_delivery: workspace_file\n", []string{`f:6: prompt_delivery: workspace_file is the delivery of runner orca, and of no other (argv or stdin for a program that is run directly)`}},
		{"eyes_without_vision", eyes, []string{`f:3: capabilities.vision: a visual_qa profile must take pictures (declare capabilities.vision)`}},
		{"vision_keys", m + "capabilities: {vision: {acquires: yes please}}\n", []string{
			`f:6: capabilities.vision.acquires: expected true or false, found text "yes please" (write true or false, without quotes)`,
			`f:6: capabilities.vision.delivery: the key is missing (how pictures reach the program)`,
			`f:6: capabilities.vision.verification: the key is missing (always required)`}},
		{"vision_flag", m + "capabilities: {vision: {delivery: cli_attachment, verification: required}}\n", []string{
			`f:6: capabilities.vision.delivery: cli_attachment needs attachments.flag (name the flag that stands before each file)`}},
		{"vision_orca", orca + "attachments: {flag: -i}\ncapabilities: {vision: {delivery: cli_attachment, verification: required}}\n", []string{
			`f:8: capabilities.vision.delivery: runner orca delivers pictures as workspace_file only (write workspace_file)`}},
		{"vision_local", local + "capabilities: {vision: {delivery: workspace_file, verification: required}}\n", []string{`f:8: capabilities.vision: runner local cannot take pictures (remove the key)`}},
		{"flag_without_vision", m + "attachments: {flag: -i}\ncapabilities: {vision: {delivery: workspace_file, verification: required}}\n", []string{
			`f:6: attachments.flag: attachments.flag needs capabilities.vision with delivery cli_attachment (declare it, or remove the flag)`}},
		{"ranges", m + "limits: {wall_clock_minutes: 241}\nread_only: no\nsandbox: docker\n", []string{
			`f:6: limits.wall_clock_minutes: 241 is out of range (1 to 240)`,
			`f:7: read_only: expected true or false, found text "no" (write true or false, without quotes)`,
			`f:8: sandbox: unknown word "docker" (allowed: warden, vendor, none)`}},
		{"CF-08_later_keys", m + "mcp: {config: x}\nlimits: {max_cost_usd: 0}\n", []string{
			`f:6: mcp: unknown key "mcp" (this version of Warden does not have it; remove the key)`,
			`f:7: limits.max_cost_usd: 0 is out of range (0.0001 to 10000)`}},
		{"planner_always_checked", strings.Replace(m, "role: implementer", "role: planner", 1) + "enforce_schema: false\n", []string{
			`f:6: enforce_schema: the answer of a planner is always held against its schema (remove the key)`}},
		{"CF-14_empty_expectation", m + "verification: {probe: x, expect: \"\"}\n", []string{`f:6: verification.expect: the text is blank`}},
		{"key_value", m + "api_key_env: sk-abcdefghijklmnop1234\n", []string{
			`f:6: api_key_env: this looks like the key itself (write the name of the environment variable that holds it, and replace the key: it stood in a file)`}},
		{"key_form", m + "api_key_env: [\"$KEY\"]\n", []string{`f:6: api_key_env[1]: not the name of an environment variable (letters, digits and underscore, such as OPENAI_API_KEY)`}},
		{"key_of_a_forge", m + "api_key_env: [GITHUB_TOKEN, gh_token, CI_JOB_TOKEN, ACTIONS_RUNTIME_TOKEN, SSH_AUTH_SOCK, GITLAB_TOKEN]\n", []string{
			`f:6: api_key_env[1]: a vendor never gets the variable GITHUB_TOKEN (name the variable with the vendor's own key)`,
			`f:6: api_key_env[2]: a vendor never gets the variable gh_token (name the variable with the vendor's own key)`,
			`f:6: api_key_env[3]: a vendor never gets the variable CI_JOB_TOKEN (name the variable with the vendor's own key)`,
			`f:6: api_key_env[4]: a vendor never gets the variable ACTIONS_RUNTIME_TOKEN (name the variable with the vendor's own key)`,
			`f:6: api_key_env[5]: a vendor never gets the variable SSH_AUTH_SOCK (name the variable with the vendor's own key)`,
			`f:6: api_key_env[6]: a vendor never gets the variable GITLAB_TOKEN (name the variable with the vendor's own key)`}},
		{"env_secrets", m + "env:\n  A: sk-abcdefghijklmnop1234\n  B: ghp_abcdefghijklmnop1234\n  ACME_API_KEY: not-so-random\n  C: 0123456789abcdef0123456789abcdef\n  D: 'http://u:pw@h/'\n  E: AbCd0123EfGh4567IjKl8901MnOp2345\n  GITHUB_X: y\n", []string{
			"f:7: env.A: the value looks like a secret" + where, "f:8: env.B: the value looks like a secret" + where,
			"f:9: env.ACME_API_KEY: the name says that the value is a secret" + where, "f:10: env.C: the value looks like a secret" + where,
			"f:11: env.D: the value looks like a secret" + where, "f:12: env.E: the value looks like a secret" + where,
			"f:13: env.GITHUB_X: a vendor never gets the variable GITHUB_X (remove it)"}},
		{"args_secret", m + "args: [--key, xai-abcdefghijklmnop1234]\n", []string{
			`f:6: args[2]: the value looks like a secret (an argument is seen by every process: name the variable that holds the key in api_key_env)`}},
		{"env_type", m + "env: {A: 1}\n", []string{`f:6: env.A: expected text, found 1 (if it is text, put it in quotes: "1")`}},
		{"share_outside", m + "home: {share: [/etc, ~/.acme, ../x, ., a//b, '*']}\n", []string{
			"f:6: home.share[1]: not a path below the home directory" + share, "f:6: home.share[2]: not a path below the home directory" + share,
			"f:6: home.share[3]: not a path below the home directory" + share, "f:6: home.share[4]: not a path below the home directory" + share,
			"f:6: home.share[5]: not a path below the home directory" + share, "f:6: home.share[6]: not a path below the home directory" + share}},
		{"share_credentials", m + "home: {share: [.ssh/id_ed25519, .config, .config/gh/hosts.yml, .netrc, .local]}\n", []string{
			"f:6: home.share[1]: ~/.ssh holds what no vendor may see (share only the vendor's own files)",
			"f:6: home.share[2]: ~/.config/git holds what no vendor may see (share only the vendor's own files)",
			"f:6: home.share[3]: ~/.config/gh holds what no vendor may see (share only the vendor's own files)",
			"f:6: home.share[4]: ~/.netrc holds what no vendor may see (share only the vendor's own files)",
			"f:6: home.share[5]: ~/.local/share/keyrings holds what no vendor may see (share only the vendor's own files)"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			stem := ""
			if tt.name == "stem" {
				stem = "coder"
			}
			_, err := ParseProfile("f", stem, []byte(tt.in))
			wantFaults(t, err, tt.want)
			for _, secret := range []string{"abcdefghijklmnop1234", "not-so-random", "0123456789abcdef", "u:pw@"} {
				if err != nil && strings.Contains(err.Error(), secret) {
					t.Errorf("the message repeats the secret: %v", err)
				}
			}
		})
	}
}
