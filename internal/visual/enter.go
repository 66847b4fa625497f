package visual

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// Enter carries out the order on stdin when args ask for it, writes what was seen
// to stdout and returns the exit status; own is false when args ask for something
// else. It is a matter between two processes of this program: people do not call it.
func Enter(args []string, stdin io.Reader, stdout, stderr io.Writer) (status int, own bool) {
	if len(args) == 0 || args[0] != Word {
		return 0, false
	}
	shield()
	text, err := io.ReadAll(io.LimitReader(stdin, maxOrder+1))
	var o Order
	if err == nil && len(text) > maxOrder {
		err = fmt.Errorf("it is over %d bytes", maxOrder)
	}
	if err == nil {
		err = json.Unmarshal(text, &o)
	}
	if err != nil {
		fmt.Fprintln(stderr, "warden: "+Word+" is how warden looks at a page, and no command: read the order:", err)
		return 2, true
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := json.NewEncoder(stdout).Encode(perform(ctx, o)); err != nil {
		fmt.Fprintln(stderr, "warden: tell what was seen:", err)
		return 1, true
	}
	return 0, true
}
