//go:build !linux

package main

import "github.com/rogpeppe/go-internal/testscript"

func ofSystem() map[string]func(*testscript.TestScript, bool, []string) { return nil }
