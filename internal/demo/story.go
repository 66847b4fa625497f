package demo

import "embed"

// story holds the demonstration's project, its operator's home and its scripts.
//
//go:embed all:story
var story embed.FS
