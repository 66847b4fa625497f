package cli

import "errors"

// begun is an error after a run was reserved. Only this process knows for sure that one
// was: a child that nothing confines can take what it left on the disk away.
type begun struct{ error }

// Unwrap returns the error itself.
func (b begun) Unwrap() error { return b.error }

// hasBegun reports whether something ran before the error.
func hasBegun(err error) bool {
	var b begun
	return errors.As(err, &b)
}

// sinceBegun marks an error, if there is one, as of a run that was reserved.
func sinceBegun(err *error) {
	if *err != nil {
		*err = begun{*err}
	}
}
