package github_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

const testdata = "../forgetest/testdata/"

// gunzip reads a compressed file of the shared test data.
func gunzip(tb testing.TB, name string) []byte {
	tb.Helper()
	f, err := os.Open(testdata + name)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		tb.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// description is GitHub's own description of its REST routes.
type description struct{ router routers.Router }

// loadDescription reads the description once for all tests of the package.
var loadDescription = sync.OnceValues(func() (*description, error) {
	f, err := os.Open(testdata + "github-openapi-subset.json.gz")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	doc, err := openapi3.NewLoader().LoadFromData(data)
	if err != nil {
		return nil, err
	}
	openapi3.DefineStringFormatValidator("uri-template", openapi3.NewCallbackValidator(func(string) error { return nil }))
	router, err := gorillamux.NewRouter(doc)
	return &description{router}, err
})

// allowed are the answers that GitHub gives and its description does not: each
// is a pointer into the answer and the reason why it stays.
var allowed = []struct{ pointer, reason string }{
	{`^(/\d+)?/head/repo$`, "the repository of a deleted fork is null; the description has no null there"},
	{`^(/\d+)?/user$`, "a deleted account is null on pull requests too; the description says so for issues only"},
	{`^/\d+/(line|start_line|position)$`, "the line of an outdated comment is null; the description has no null there"},
	{`^/\d+/actor$`, "a deleted account is null in events too; the description has no null there"},
	{`^/\d+$`, "anyOf over the kinds of event: an event of a deleted account matches none of them"},
}

// validate judges one exchange in both directions.
func (d *description) validate(req *http.Request, reqBody []byte, status int, header http.Header, respBody []byte) error {
	u, err := url.Parse("https://api.github.com" + strings.TrimPrefix(req.URL.RequestURI(), "/api/v3"))
	if err != nil {
		return err
	}
	in := req.Clone(req.Context())
	in.URL, in.Host, in.RequestURI = u, u.Host, ""
	in.Body = io.NopCloser(bytes.NewReader(reqBody))
	route, params, err := d.router.FindRoute(in)
	if err != nil {
		return fmt.Errorf("the description has no such route: %w", err)
	}
	options := &openapi3filter.Options{
		AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, MultiError: true, IncludeResponseStatus: describedStatus(status),
	}
	request := &openapi3filter.RequestValidationInput{Request: in, PathParams: params, Route: route, Options: options}
	if status < 300 {
		if err := openapi3filter.ValidateRequest(req.Context(), request); err != nil {
			return fmt.Errorf("request: %w", err)
		}
	}
	response := &openapi3filter.ResponseValidationInput{RequestValidationInput: request, Status: status, Header: header, Options: options}
	response.SetBodyBytes(respBody)
	return tolerate(openapi3filter.ValidateResponse(req.Context(), response), respBody)
}

// describedStatus: every success must be described; errors such as 401 and 502
// stand on no page.
func describedStatus(status int) bool { return status < 300 }

// tolerate drops the allowed differences. What is left is an error.
func tolerate(err error, body []byte) error {
	var left []error
	for _, e := range flatten(err) {
		pointer, known := pointerOf(e)
		if !known || !isNull(body, pointer) || !isAllowed(pointer) {
			left = append(left, e)
		}
	}
	if len(left) == 0 {
		return nil
	}
	return fmt.Errorf("response: %w", left[0])
}

func flatten(err error) []error {
	switch e := err.(type) {
	case nil:
		return nil
	case openapi3.MultiError:
		var out []error
		for _, inner := range e {
			out = append(out, flatten(inner)...)
		}
		return out
	case *openapi3filter.ResponseError:
		if e.Err != nil {
			return flatten(e.Err)
		}
	}
	return []error{err}
}

func pointerOf(err error) (string, bool) {
	e, is := err.(*openapi3.SchemaError)
	if !is {
		return "", false
	}
	return "/" + strings.Join(e.JSONPointer(), "/"), true
}

func isAllowed(pointer string) bool {
	for _, a := range allowed {
		if regexp.MustCompile(a.pointer).MatchString(pointer) {
			return true
		}
	}
	return false
}

// isNull reports whether the pointer leads to null, or to an event whose actor
// is null.
func isNull(body []byte, pointer string) bool {
	var v any
	if json.Unmarshal(body, &v) != nil {
		return false
	}
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		switch in := v.(type) {
		case map[string]any:
			v = in[part]
		case []any:
			var i int
			if _, err := fmt.Sscan(part, &i); err != nil || i >= len(in) {
				return false
			}
			v = in[i]
		default:
			return false
		}
	}
	if event, is := v.(map[string]any); is {
		actor, has := event["actor"]
		return has && actor == nil
	}
	return v == nil
}
