package forgetest

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// pktLine takes one line off a pkt-line stream. A flush is a nil line; ok is
// false at the end and at anything malformed.
func pktLine(b []byte) (line, rest []byte, ok bool) {
	if len(b) < 4 {
		return nil, nil, false
	}
	n, err := strconv.ParseUint(string(b[:4]), 16, 16)
	switch {
	case err != nil || int(n) > len(b):
		return nil, nil, false
	case n < 4:
		return nil, b[4:], true
	}
	return b[4:n], b[n:], true
}

func writePkt(out *bytes.Buffer, line []byte) {
	fmt.Fprintf(out, "%04x", len(line)+4)
	out.Write(line)
}

// readReasons reads what the update hook left: the file of each refused ref.
func readReasons(path string) map[string]string {
	if path == "" {
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil // nothing was refused
	}
	refused := map[string]string{}
	for line := range strings.Lines(string(data)) {
		ref, file, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		refused[ref] = file
	}
	return refused
}

// refusalText puts GitHub's words in the place of git's "hook declined" in the
// answer to a push. The report is a pkt-line stream, wrapped in side band 1
// where the client asked for side bands.
func refusalText(answer []byte, refused map[string]string) []byte {
	var out, report bytes.Buffer
	for line, rest, ok := pktLine(answer); ok; line, rest, ok = pktLine(rest) {
		switch {
		case len(line) == 0:
		case line[0] == 1:
			report.Write(line[1:])
		case line[0] == 2 || line[0] == 3:
			writePkt(&out, line)
		default:
			return rewriteReport(answer, refused)
		}
	}
	writePkt(&out, append([]byte{1}, rewriteReport(report.Bytes(), refused)...))
	out.WriteString("0000")
	return out.Bytes()
}

func rewriteReport(report []byte, refused map[string]string) []byte {
	var out bytes.Buffer
	for line, rest, ok := pktLine(report); ok; line, rest, ok = pktLine(rest) {
		if line == nil {
			out.WriteString("0000")
			continue
		}
		f := strings.Fields(string(line))
		if file, hit := refused[field(f, 1)]; hit && field(f, 0) == "ng" {
			line = fmt.Appendf(nil, "ng %s refusing to allow a GitHub App to create or update workflow `%s` without `workflows` permission\n", f[1], file)
		}
		writePkt(&out, line)
	}
	return out.Bytes()
}

func field(f []string, i int) string {
	if i < len(f) {
		return f[i]
	}
	return ""
}
