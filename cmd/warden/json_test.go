package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// jsonCommand is the script command
//
//	json [!] FILE PATH [WANT]
//
// It reads one JSON object from FILE (stdout, or a path), walks PATH ("a.b.0.c")
// and compares the value with WANT, printed as fmt prints it. Without WANT the
// value must be there; with ! it must not be there, or not be WANT. FILE must hold
// exactly one object.
func jsonCommand(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: json FILE PATH [WANT]")
	}
	dec := json.NewDecoder(strings.NewReader(ts.ReadFile(args[0])))
	dec.UseNumber()
	var doc map[string]any
	if err := dec.Decode(&doc); err != nil {
		ts.Fatalf("%s is no JSON object: %v", args[0], err)
	}
	if dec.More() {
		ts.Fatalf("%s holds more than one JSON object", args[0])
	}
	got, found := walk(doc, strings.Split(args[1], "."))
	if len(args) == 2 {
		if found == neg {
			ts.Fatalf("%s: %s is %v, found %v", args[0], args[1], got, found)
		}
		return
	}
	if same := found && fmt.Sprint(got) == args[2]; same == neg {
		ts.Fatalf("%s: %s is %v, want %s", args[0], args[1], got, args[2])
	}
}

func walk(v any, path []string) (any, bool) {
	for _, key := range path {
		switch at := v.(type) {
		case map[string]any:
			next, ok := at[key]
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(at) {
				return nil, false
			}
			v = at[i]
		default:
			return nil, false
		}
	}
	return v, true
}
