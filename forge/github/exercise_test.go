package github_test

import (
	"testing"

	"github.com/tolboy/warden/forge"
	"github.com/tolboy/warden/forge/forgetest"
)

func TestExercise(t *testing.T) {
	t.Parallel()
	forgetest.Exercise(t, func(t *testing.T) (forge.Forge, *forgetest.World) {
		s, c := start(t, forgetest.Options{})
		w := s.World()
		w.Stranger = client(t, s, "ghs_not-a-credential")
		return c, w
	})
}
