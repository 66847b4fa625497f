package browser

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/chromedp/cdproto/page"
)

// pictureLimit is how long one picture may take.
const pictureLimit = 20 * time.Second

// capture takes a picture of what the window shows, as a PNG. The browser packs it
// loosely: that is three times as fast, and the bytes go to a disk.
func (t *tab) capture(ctx context.Context) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, pictureLimit)
	defer cancel()
	r, err := call(ctx, t.session, page.CaptureScreenshot, page.CaptureScreenshotParams{
		Format: page.CaptureScreenshotFormatPng, OptimizeForSpeed: new(true), FromSurface: new(true),
	})
	if err != nil {
		return nil, t.explain(ctx, err)
	}
	return r.Data, nil
}

// picture takes a picture of the moment that was judged and writes it under the
// name of the moment. A picture of another size than the viewport is a failure of
// the scenario.
func (r *play) picture(ctx context.Context) error {
	if r.moment == "" {
		return nil
	}
	defer r.clock.at(&r.clock.pictures)()
	name := r.moment + ".png"
	r.moment = ""
	var regions []Region
	if len(r.options.Ignore) > 0 {
		list, err := json.Marshal(r.options.Ignore)
		if err != nil {
			return err
		}
		if err := r.tab.ask(ctx, "warden.regions("+string(list)+")", 0, &regions); err != nil {
			return err
		}
	}
	data, err := r.tab.capture(ctx)
	if err != nil {
		return err
	}
	if w, h := pngSize(data); w != r.row.Viewport.Width || h != r.row.Viewport.Height {
		r.row.fail(fmt.Sprintf("the picture %s is %dx%d pixels large, and the viewport is %dx%d", name, w, h, r.row.Viewport.Width, r.row.Viewport.Height))
	}
	if err := writeNew(filepath.Join(r.options.Dir, name), data); err != nil {
		return &unwritten{err}
	}
	sum := sha256.Sum256(data)
	r.row.Screenshots = append(r.row.Screenshots, Screenshot{Name: name, SHA256: hex.EncodeToString(sum[:]), Bytes: len(data), Ignored: regions})
	if r.pictured != nil {
		r.pictured.Screenshot = name
	}
	return nil
}

// unwritten is an error that is ours and not the page's.
type unwritten struct{ error }

func writeNew(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("write picture: %w", err)
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// pngSize reads the size from a PNG's head; 0x0 is no PNG.
func pngSize(data []byte) (width, height int) {
	const head = "\x89PNG\r\n\x1a\n"
	if len(data) < 24 || !bytes.HasPrefix(data, []byte(head)) || string(data[12:16]) != "IHDR" {
		return 0, 0
	}
	return int(binary.BigEndian.Uint32(data[16:])), int(binary.BigEndian.Uint32(data[20:]))
}
