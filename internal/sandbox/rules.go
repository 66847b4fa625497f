package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
)

// ParseRules reads the rules of a launcher's command line. The error names what is
// wrong with them; rules that are not whole restrict nothing and are refused.
func ParseRules(text string) (Rules, error) {
	var r Rules
	if len(text) > maxRulesText {
		return r, fmt.Errorf("read landlock rules: over %d bytes", maxRulesText)
	}
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return Rules{}, fmt.Errorf("read landlock rules: %w", err)
	}
	if d.More() {
		return Rules{}, errors.New("read landlock rules: there is more behind them")
	}
	if r.ABI < minABI {
		return Rules{}, fmt.Errorf("read landlock rules: version %d, and %d is needed", r.ABI, minABI)
	}
	if r.Status < 0 || r.Status > maxDescriptor {
		return Rules{}, fmt.Errorf("read landlock rules: descriptor %d", r.Status)
	}
	paths := append([]string{r.Home, r.Tmp, r.Dir}, r.Read...)
	paths = append(append(paths, r.Write...), r.Devices...)
	for _, l := range r.Links {
		paths = append(paths, l.Source, l.Target)
	}
	for _, path := range paths {
		if !filepath.IsAbs(path) || filepath.Clean(path) != path {
			return Rules{}, fmt.Errorf("read landlock rules: %q is not a plain absolute path", path)
		}
	}
	return r, nil
}

const maxDescriptor = 64
