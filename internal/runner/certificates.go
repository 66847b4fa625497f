package runner

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/tolboy/warden/internal/sandbox"
)

// certificateVariables name files, and where there are several, directories, with
// certificates that a child should trust. proc.Environ passes them on.
var certificateVariables = [...]string{
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NIX_SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
	"AWS_CA_BUNDLE", "PIP_CERT", "CARGO_HTTP_CAINFO", "DENO_CERT",
}

// Bounds of what is shared for a variable.
const (
	maxCertificate  = 4 << 20
	maxCertificates = 1000
)

// certificates shares the files with certificates that the environment names, one by
// one and read-only: they may lie in a home, or in the system's place for temporary
// files, which children do not see. A file that is none, or holds a key, stays hidden.
func (m *Machine) certificates() []sandbox.Mount {
	var files []string
	for _, name := range certificateVariables {
		for _, path := range filepath.SplitList(lookup(m.Environ, name)) {
			if filepath.IsAbs(path) {
				files = append(files, certificateFiles(path)...)
			}
		}
	}
	slices.Sort(files)
	var out []sandbox.Mount
	for _, file := range slices.Compact(files) {
		out = append(out, sandbox.Mount{Source: file, Target: file})
	}
	return out
}

func certificateFiles(path string) []string {
	path = filepath.Clean(path)
	entries, err := os.ReadDir(path)
	if err != nil {
		if holdsCertificates(path) {
			return []string{path}
		}
		return nil
	}
	var out []string
	for _, e := range entries[:min(len(entries), maxCertificates)] {
		if file := filepath.Join(path, e.Name()); holdsCertificates(file) {
			out = append(out, file)
		}
	}
	return out
}

// holdsCertificates reports whether a regular file has certificates and no key.
func holdsCertificates(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxCertificate {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxCertificate))
	return err == nil && bytes.Contains(data, []byte("CERTIFICATE-----")) && !bytes.Contains(data, []byte("PRIVATE KEY-----"))
}
