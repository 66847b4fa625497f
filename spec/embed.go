// Package spec holds the specification: the text for people and the schemas for
// machines. It has no logic.
package spec

import "embed"

// Schemas holds schemas/<name>.json: one JSON Schema for each YAML file that a
// person writes, and one for each artifact that a role answers with.
//
//go:embed schemas/*.json
var Schemas embed.FS
