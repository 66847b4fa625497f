//go:build !linux

package durable

// StampOf is false: here no moment is known that nobody can set.
func StampOf(string) (Stamp, bool) { return Stamp{}, false }
