//go:build !linux

package visual

// shield has nothing to set here.
func shield() {}
