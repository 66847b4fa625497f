package strict

import "slices"

// Keys lists every key that holds a value in a shape, as paths such as
// "authority.land", "checks.*" for freely named keys and "stages[].when" for
// the keys of list entries, sorted.
func Keys(shape Shape) []string {
	var out []string
	var walk func(s *Schema, path string)
	walk = func(s *Schema, path string) {
		more, free := s.AdditionalProperties.(*Schema)
		switch {
		case free:
			walk(more, join(path, "*"))
		case s.Properties != nil:
			for key, child := range s.Properties {
				walk(child, join(path, key))
			}
		case s.Items != nil && (s.Items.Properties != nil || s.Items.Items != nil):
			walk(s.Items, path+"[]")
		default:
			out = append(out, path)
		}
	}
	walk(shape.schema(), "")
	slices.Sort(out)
	return out
}
