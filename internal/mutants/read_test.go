package mutants

import "testing"

func TestRead(t *testing.T) {
	t.Parallel()
	const start = `{"Action":"start","Package":"p"}` + "\n"
	for _, tt := range []struct {
		name, stream string
		depth        int
		want         result
	}{
		{"a test", start + `{"Action":"run","Test":"TestA"}` + "\n" + `{"Action":"fail","Test":"TestA"}`, 0, result{ran: 1}},
		{"a pattern that meets no subtest", start + `{"Action":"run","Test":"TestA"}` + "\n" + `{"Action":"pass","Test":"TestA"}`, 1, result{}},
		{"a subtest that is skipped", `{"Action":"run","Test":"TestA"}{"Action":"run","Test":"TestA/b"}{"Action":"skip","Test":"TestA/b"}`, 1, result{ran: 1, skipped: 1}},
		{"no build", `{"ImportPath":"p","Action":"build-output","Output":"x.go:1: undefined: y\n"}{"ImportPath":"p","Action":"build-fail"}{"Action":"fail","Package":"p","FailedBuild":"p"}`, 0,
			result{unbuilt: true, output: "x.go:1: undefined: y\n"}},
		{"nothing", "", 0, result{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := read([]byte(tt.stream), tt.depth)
			if err != nil || got != tt.want {
				t.Errorf("read = %+v, %v; want %+v", got, err, tt.want)
			}
		})
	}
	if got, err := read([]byte(start+"not JSON"), 0); err == nil {
		t.Errorf("a stream that is none: %+v", got)
	}
}
