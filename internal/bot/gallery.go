package bot

import (
	"context"
	"errors"
	"fmt"
	"path"
	"time"

	"github.com/tolboy/warden/forge"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/plain"
	"github.com/tolboy/warden/internal/publish"
	"github.com/tolboy/warden/internal/reconcile"
)

// Gallery is a forge that takes pictures and shows them in its texts. The pictures of
// one that is none are linked at the commit of the ledger.
type Gallery interface {
	// UploadPicture gives the forge a PNG and returns the address by which a text of
	// the repository shows it. It sends it once: after an error nobody can tell
	// whether the forge has it.
	UploadPicture(ctx context.Context, name string, picture []byte) (address string, err error)
}

// Bounds of the uploads of one publication, beside the number of pictures in a body.
const (
	maxUpload   = 8 << 20  // bytes of one picture
	maxUploads  = 32 << 20 // bytes of all
	uploadLimit = 5 * time.Minute
)

// uploadPurpose is that of the intents and results of uploads. Their keys name the
// picture by its hash.
const uploadPurpose = "upload_picture"

func uploadKey(sha256 string) string { return "picture:" + sha256 }

// hang puts the pictures that the forge has into the view, and returns those that it is
// to be given: none that this pull request was given before, or may have been. Where
// the forge takes no pictures, or the project keeps them, it does nothing.
func (s *showing) hang() (fresh []ledger.File, err error) {
	if _, takes := s.bot.Forge.(Gallery); !takes || s.bot.Picture == nil {
		return nil, nil
	}
	sent, err := s.sent()
	if err != nil {
		return nil, err
	}
	files := map[string]ledger.File{}
	for _, l := range s.run.History().Lines {
		for _, f := range l.Files {
			files[f.Path] = f
		}
	}
	s.view.Uploads = &publish.Uploads{}
	left, planned := int64(maxUploads), map[string]bool{}
	for _, p := range publish.Inline(s.view) {
		f, named := files[p.Name]
		done, tried := sent[uploadKey(f.SHA256)]
		why := ""
		switch {
		case !named:
			why = "no evidence names it"
		case planned[f.SHA256]:
			why = "it is to be uploaded"
		case tried && done.OK:
			p.Inline = done.URL
			continue
		case tried:
			why = done.Detail
		case f.Bytes > maxUpload || f.Bytes > left:
			why = fmt.Sprintf("%d MiB of one picture and %d MiB of all may be uploaded", maxUpload>>20, maxUploads>>20)
		default:
			left, planned[f.SHA256] = left-f.Bytes, true
			fresh, why = append(fresh, f), "it is to be uploaded"
		}
		if s.view.Uploads.Missing++; s.view.Uploads.Why == "" {
			s.view.Uploads.Why = why
		}
	}
	return fresh, nil
}

// sent is what came of every upload for this pull request, by its key. One that may have
// come through, since it has no result or an uncertain one, is not sent again.
func (s *showing) sent() (map[string]ledger.Done, error) {
	out := map[string]ledger.Done{}
	for _, r := range s.observed.Runs {
		if r.ID == s.run.ID() || r.Branch != s.view.Branch {
			continue
		}
		h, err := ledger.Read(s.bot.RunsDir, r.ID)
		if err != nil {
			return nil, fmt.Errorf("read which pictures the forge has: %w", err)
		}
		uploads(out, h)
		for key, done := range out {
			if !done.OK && done.Code != "" {
				delete(out, key) // refused to an earlier run; this one may try
			}
		}
	}
	uploads(out, s.run.History())
	return out, nil
}

func uploads(out map[string]ledger.Done, h ledger.History) {
	for _, l := range h.Lines {
		var i ledger.Intent
		var d ledger.Done
		switch {
		case l.Type == ledger.TypeIntent && l.Decode(&i) == nil && i.Purpose == uploadPurpose:
			out[i.Key] = ledger.Done{Detail: "an earlier try was cut off, and the forge may have it"}
		case l.Type == ledger.TypeDone && l.Decode(&d) == nil && d.Purpose == uploadPurpose:
			out[d.Key] = d
		}
	}
}

// upload gives the forge the pictures whose intents it has, and writes down what came
// of each. After a failure no more are tried: the links stand for them.
func (s *showing) upload(ctx context.Context, fresh []ledger.File) error {
	gallery, takes := s.bot.Forge.(Gallery)
	if !takes || len(fresh) == 0 {
		return nil
	}
	bounded, cancel := context.WithTimeout(ctx, uploadLimit)
	defer cancel()
	failed := false
	for _, f := range fresh {
		done := ledger.Done{Key: uploadKey(f.SHA256), Purpose: uploadPurpose}
		if failed {
			done.Code, done.Detail = outcome.ForgeRefused, "not tried, since one before it failed"
		} else if address, err := s.give(bounded, gallery, f); err == nil {
			done.OK, done.URL = true, address
		} else if ctx.Err() != nil {
			return fmt.Errorf("upload %s: %w", f.Path, ctx.Err())
		} else {
			failed, done.Detail = true, plain.Line(err.Error(), 300)
			if certain(err) {
				done.Code = outcome.ForgeRefused
			}
		}
		if _, err := s.run.Append(ledger.TypeDone, s.bot.Now(), done); err != nil {
			return err
		}
	}
	_, err := s.hang()
	return err
}

// certain reports whether an error says that the forge did not take what it was sent.
func certain(err error) bool {
	var limit *forge.RateLimitError
	return errors.Is(err, forge.ErrForbidden) || errors.Is(err, forge.ErrUnauthorized) || errors.Is(err, forge.ErrNotFound) || errors.As(err, &limit)
}

// give uploads one picture, which must be the one that the evidence names.
func (s *showing) give(ctx context.Context, gallery Gallery, f ledger.File) (string, error) {
	picture, err := ledger.ReadNamed(s.bot.RunsDir, s.run.History(), f.Path)
	if err != nil {
		return "", err
	}
	return gallery.UploadPicture(ctx, path.Base(f.Path), picture)
}

// showsPull reports whether the text of the pull request is among the pieces.
func showsPull(pieces []reconcile.Piece) bool {
	for _, p := range pieces {
		if p.Kind == reconcile.PiecePull {
			return true
		}
	}
	return false
}
