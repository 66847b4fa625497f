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
	"strconv"
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
// is a pointer into the answer, what stands there, and why.
var allowed = []struct {
	pointer *regexp.Regexp
	fits    func(any) bool
	reason  string
}{
	{regexp.MustCompile(`^(/\d+)?/head/repo$`), isNull, "the repository of a deleted fork is null; the description has no null there"},
	{regexp.MustCompile(`^(/\d+)?(/head)?/user$`), isNull, "a deleted account is null on pull requests too; the description says so for issues only"},
	{regexp.MustCompile(`^/\d+/(line|position)$`), isNull, "the line of an outdated comment is null; the description has no null there"},
	{regexp.MustCompile(`^/\d+$`), isGhostEvent, "the actor of an event is null when the account is deleted; no kind of event is described so"},
}

func isNull(v any) bool { return v == nil }

func isGhostEvent(v any) bool {
	event, is := v.(map[string]any)
	actor, has := event["actor"]
	return is && has && actor == nil
}

// validate judges one exchange in both directions.
func (d *description) validate(req *http.Request, reqBody []byte, status int, header http.Header, respBody []byte) error {
	for _, e := range d.differences(req, reqBody, status, header, respBody) {
		pointer, known := pointerOf(e)
		if !known || allowance(respBody, pointer) < 0 {
			return e
		}
	}
	return nil
}

// differences are all the ways in which an exchange is not as described.
func (d *description) differences(req *http.Request, reqBody []byte, status int, header http.Header, respBody []byte) []error {
	u, err := url.Parse("https://api.github.com" + strings.TrimPrefix(req.URL.RequestURI(), "/api/v3"))
	if err != nil {
		return []error{err}
	}
	in := req.Clone(req.Context())
	in.URL, in.Host, in.RequestURI = u, u.Host, ""
	in.Body = io.NopCloser(bytes.NewReader(reqBody))
	route, params, err := d.router.FindRoute(in)
	if err != nil {
		return []error{fmt.Errorf("the description has no such route: %w", err)}
	}
	options := &openapi3filter.Options{
		AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, MultiError: true,
		// Every success is described; refusals such as 401 and 502 stand on no page.
		IncludeResponseStatus: status < 300,
	}
	request := &openapi3filter.RequestValidationInput{Request: in, PathParams: params, Route: route, Options: options}
	if status < 300 { // the server refuses what is not as described, and tests do send it
		if err := openapi3filter.ValidateRequest(req.Context(), request); err != nil {
			return []error{fmt.Errorf("request: %w", err)}
		}
	}
	response := &openapi3filter.ResponseValidationInput{RequestValidationInput: request, Status: status, Header: header, Options: options}
	response.SetBodyBytes(respBody)
	return flatten(openapi3filter.ValidateResponse(req.Context(), response))
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
	case *openapi3.SchemaError:
		return []error{&answerError{e}}
	}
	return []error{fmt.Errorf("response: %w", err)}
}

// answerError is one place of an answer that does not fit.
type answerError struct{ *openapi3.SchemaError }

// Error implements error.
func (e *answerError) Error() string {
	pointer, _ := pointerOf(e)
	return fmt.Sprintf("response at %s: %s", pointer, e.Reason)
}

func pointerOf(err error) (string, bool) {
	e, is := err.(*answerError)
	if !is {
		return "", false
	}
	return "/" + strings.Join(e.JSONPointer(), "/"), true
}

// allowance is the index of the entry that allows what stands at the pointer, or
// -1.
func allowance(body []byte, pointer string) int {
	v, found := at(body, pointer)
	for i, a := range allowed {
		if found && a.pointer.MatchString(pointer) && a.fits(v) {
			return i
		}
	}
	return -1
}

// at follows a pointer into the answer.
func at(body []byte, pointer string) (v any, found bool) {
	if json.Unmarshal(body, &v) != nil {
		return nil, false
	}
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		switch in := v.(type) {
		case map[string]any:
			if v, found = in[part]; !found {
				return nil, false
			}
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(in) {
				return nil, false
			}
			v = in[i]
		default:
			return nil, false
		}
	}
	return v, true
}
