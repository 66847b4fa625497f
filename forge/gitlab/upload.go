package gitlab

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"regexp"
	"strings"

	"github.com/tolboy/warden/forge"
)

// Bounds of one upload, in bytes.
const (
	maxPicture = 32 << 20
	maxAnswer  = 64 << 10
)

var (
	nameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,150}\.png$`)
	// addressForm is the reference that the server's Markdown takes for a file of the
	// project that the text belongs to.
	addressForm = regexp.MustCompile(`^/uploads/[0-9a-f]{32}/[A-Za-z0-9][A-Za-z0-9._-]{0,150}\.png$`)
)

// UploadPicture gives the project a picture, a PNG of at most 32 MiB, and returns the
// address by which a text of the same project shows it. It is sent once: after an
// error nobody can tell whether the server has it. Errors are those of package forge
// where one fits.
func (c *Client) UploadPicture(ctx context.Context, name string, picture []byte) (address string, err error) {
	action := "upload picture " + fmt.Sprintf("%.60q", name)
	switch {
	case !nameForm.MatchString(name):
		return "", fmt.Errorf("%s: it is no name that the server keeps as it is", action)
	case len(picture) > maxPicture:
		return "", fmt.Errorf("%s: it has %d bytes, and %d may be sent", action, len(picture), maxPicture)
	case !bytes.HasPrefix(picture, []byte("\x89PNG\r\n\x1a\n")):
		return "", fmt.Errorf("%s: it is no PNG", action)
	}
	token, err := c.token(ctx)
	if err != nil {
		return "", fmt.Errorf("%s: get the credential: %w", action, err)
	}
	if token == "" || strings.ContainsAny(token, "\r\n \t") {
		return "", fmt.Errorf("%s: the credential is empty or broken: %w", action, forge.ErrUnauthorized)
	}
	status, header, body, err := c.send(ctx, token, name, picture)
	if err == nil && status != http.StatusCreated {
		err = refusal(status, header, body)
	}
	if err == nil {
		address, err = readUpload(body)
	}
	if err != nil {
		return "", &scrubbed{action + ": " + strings.ReplaceAll(err.Error(), token, "[credential]"), err}
	}
	return address, nil
}

// send makes the request and reads the whole answer.
func (c *Client) send(ctx context.Context, token, name string, picture []byte) (int, http.Header, []byte, error) {
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("file", name)
	if err == nil {
		_, err = part.Write(picture)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return 0, nil, nil, fmt.Errorf("write the form: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.uploads, &form)
	if err != nil {
		return 0, nil, nil, err
	}
	req.GetBody = nil // never sent a second time
	req.Header.Set("Content-Type", w.FormDataContentType())
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", c.agent)
	req.Header.Set("PRIVATE-TOKEN", token)
	resp, err := c.http.Do(req)
	if err != nil {
		return 0, nil, nil, err
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch err = errors.Join(err, resp.Body.Close()); {
	case err != nil:
		return 0, nil, nil, fmt.Errorf("read the answer: %w", err)
	case len(body) > maxAnswer:
		return 0, nil, nil, fmt.Errorf("read the answer: it is longer than %d bytes", maxAnswer)
	}
	return resp.StatusCode, resp.Header, body, nil
}

// readUpload takes the address out of an answer. The server is a stranger: an address
// of any other form could end the picture that it stands in. Its own Markdown is not
// used.
func readUpload(body []byte) (string, error) {
	var answer struct {
		URL string `json:"url"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return "", errors.New("read the answer: it is not what an upload is answered with")
	}
	if !addressForm.MatchString(answer.URL) {
		return "", fmt.Errorf("read the answer: %.200q is no address of an upload", answer.URL)
	}
	return answer.URL, nil
}

// scrubbed is an error whose text does not tell the credential, which a server may echo.
type scrubbed struct {
	text  string
	cause error
}

// Error implements error.
func (e *scrubbed) Error() string { return e.text }

// Is reports whether the cause is target. The cause itself is not handed out: its text
// may tell the credential.
func (e *scrubbed) Is(target error) bool { return errors.Is(e.cause, target) }

// As hands out a rate limit, whose text is ours.
func (e *scrubbed) As(target any) bool {
	limit, ok := target.(**forge.RateLimitError)
	return ok && errors.As(e.cause, limit)
}
