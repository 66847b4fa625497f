package fakemodel

import (
	"fmt"
	"os"
	"path/filepath"
)

// CLIsVariable names the directory in which npm installed the agent CLIs, one of
// each that CLIs lists:
//
//	npm install --prefix DIR @openai/codex@0.171.0 opencode-ai@1.18.33 @google/gemini-cli@0.61.0
const CLIsVariable = "WARDEN_VENDOR_CLIS"

// CLIs lists the programs that the tests of real CLIs start.
func CLIs() []string { return []string{"codex", "gemini", "opencode"} }

// Installed returns the directory of the installed CLIs' programs, or "" when
// the environment names none. That it names one without them is an error.
func Installed() (string, error) {
	dir := os.Getenv(CLIsVariable)
	if dir == "" {
		return "", nil
	}
	bin := filepath.Join(dir, "node_modules", ".bin")
	for _, name := range CLIs() {
		if _, err := os.Stat(filepath.Join(bin, name)); err != nil {
			return "", fmt.Errorf("%s is set and %s is not installed there: %w", CLIsVariable, name, err)
		}
	}
	return bin, nil
}

// CodexProvider is the value of -c that makes Codex ask this server, with the key
// in the named variable, and try again once at most. "-c model_provider=fake"
// chooses it.
func (s *Server) CodexProvider(key string) string {
	return `model_providers.fake={name="fake",base_url="` + s.URL() + `/v1",env_key="` + key + `",wire_api="responses",request_max_retries=1,stream_max_retries=1}`
}

// Home holds the files of an operator's home directory that a CLI needs to ask
// this server, with the key in the named variable.
func (s *Server) Home(cli, key string) map[string]string {
	switch cli {
	case "gemini":
		return map[string]string{".gemini/settings.json": `{"security":{"auth":{"selectedType":"gemini-api-key"}},"general":{"enableAutoUpdate":false,"maxAttempts":2},"privacy":{"usageStatisticsEnabled":false}}`}
	case "opencode":
		return map[string]string{".config/opencode/opencode.json": `{"model":"fake/m1","small_model":"fake/m1","autoupdate":false,"share":"disabled","provider":{"fake":{"npm":"@ai-sdk/openai-compatible","options":{"baseURL":"` + s.URL() + `/v1","apiKey":"{env:` + key + `}"},"models":{"m1":{"limit":{"context":200000,"output":8192},"cost":{"input":1,"output":2},"attachment":true,"modalities":{"input":["text","image"],"output":["text"]}}}}}}`}
	}
	return nil
}
