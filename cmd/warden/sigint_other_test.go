//go:build !linux

package main

import "github.com/rogpeppe/go-internal/testscript"

func ofSystem() map[string]func(*testscript.TestScript, bool, []string) { return nil }

// folds: no file system of the tests ignores case where the system's own may.
func folds() (bool, error) { return false, nil }
