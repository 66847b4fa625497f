package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/tolboy/warden/internal/durable"
	"github.com/tolboy/warden/internal/metrics"
)

// dirIndex is where the state directory has what was counted.
const dirIndex = "counted"

// index is where the numbers of runs are remembered between two commands. What another
// build remembered is not taken: it may have counted in another way. Where it cannot
// be told which build this is, nothing is remembered.
func (a *app) index() metrics.Index {
	state, err := a.stateRoot()
	if err != nil {
		return metrics.Index{}
	}
	self, err := os.Executable()
	if err != nil {
		return metrics.Index{}
	}
	stamp, ok := durable.StampOf(self)
	if !ok {
		return metrics.Index{}
	}
	return metrics.Index{Dir: filepath.Join(state, dirIndex), Maker: fmt.Sprintf("%s %+v", Version, stamp), Now: a.now()}
}
