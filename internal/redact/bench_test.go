package redact_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/tolboy/warden/internal/redact"
)

// BenchmarkTranscript is one vendor's output of 4 MiB against ten secrets.
func BenchmarkTranscript(b *testing.B) {
	var values []string
	for i := range 10 {
		values = append(values, fmt.Sprintf("secret-value-number-%d-of-ten", i))
	}
	set, err := redact.New(values...)
	if err != nil {
		b.Fatal(err)
	}
	line := []byte(`{"type":"item.completed","item":{"text":"ordinary words, a path/to/file.go:12 and sha 3f786850"}}` + "\n")
	text := bytes.Repeat(line, 4<<20/len(line))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if set.Find(text) {
			b.Fatal("found a secret in ordinary text")
		}
	}
}
