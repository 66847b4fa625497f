//go:build !linux

package durable

import "os"

func openBox(*os.File, string) (int, bool) { return -1, false }

// Read returns the content of a plain file of at most limit bytes, as Dir.Read.
func (b *Box) Read(name string, limit int64, _ []byte) ([]byte, error) {
	return b.dir.Read(name, limit)
}

// Close lets go of the directory.
func (b *Box) Close() error { return b.dir.Close() }
