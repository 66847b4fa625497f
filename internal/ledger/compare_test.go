package ledger_test

import (
	"reflect"

	"github.com/tolboy/warden/internal/usage"
)

func deref(p any) any { return reflect.ValueOf(p).Elem().Interface() }

// sameAmount compares amounts by what they say.
func sameAmount(a, b usage.Amount) bool {
	x, okX := a.Get()
	y, okY := b.Get()
	return x == y && okX == okY
}
