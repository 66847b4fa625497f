package strict

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Schema is the part of JSON Schema (2020-12) in which a shape describes itself.
type Schema struct {
	Schema               string             `json:"$schema,omitempty"`
	ID                   string             `json:"$id,omitempty"`
	Title                string             `json:"title,omitempty"`
	Description          string             `json:"description,omitempty"`
	Type                 string             `json:"type,omitempty"`
	Const                *int               `json:"const,omitempty"`
	Enum                 []string           `json:"enum,omitempty"`
	Pattern              string             `json:"pattern,omitempty"`
	MinLength            int                `json:"minLength,omitempty"`
	MaxLength            int                `json:"maxLength,omitempty"`
	Minimum              *float64           `json:"minimum,omitempty"`
	Maximum              *float64           `json:"maximum,omitempty"`
	MinItems             int                `json:"minItems,omitempty"`
	Items                *Schema            `json:"items,omitempty"`
	MinProperties        int                `json:"minProperties,omitempty"`
	PropertyNames        *Schema            `json:"propertyNames,omitempty"`
	Properties           map[string]*Schema `json:"properties,omitempty"`
	Required             []string           `json:"required,omitempty"`
	AdditionalProperties any                `json:"additionalProperties,omitempty"`
	AnyOf                []*Schema          `json:"anyOf,omitempty"`
}

// Describe writes a shape as a JSON Schema document.
func Describe(shape Shape, id, title, description string) ([]byte, error) {
	s := shape.schema()
	s.Schema, s.ID, s.Title, s.Description = "https://json-schema.org/draft/2020-12/schema", id, title, description
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(s); err != nil {
		return nil, fmt.Errorf("describe %s: %w", id, err)
	}
	return b.Bytes(), nil
}
