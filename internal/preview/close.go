package preview

import (
	"context"
	"fmt"
)

// Exited says how the command ended by itself while its page was being looked at,
// and is nil while it runs. The server of somebody else never ends.
func (s *Server) Exited(ctx context.Context) *Fault {
	if s.family == nil {
		return nil
	}
	select {
	case <-s.done:
		f := s.ended(ctx)
		f.Text = fmt.Sprintf("the preview ended while its page was looked at: %s", f.Text)
		var e Ending
		e.Lines, e.Dropped = s.log.Lines()
		f.Text += e.said()
		return f
	default:
		return nil
	}
}

// Close ends the command with everything that it started, and says what it left.
// It is called once.
func (s *Server) Close() Ending {
	s.cancel()
	<-s.done
	var e Ending
	e.Lines, e.Dropped = s.log.Lines()
	switch {
	case s.err != nil:
		e.Fault = &Fault{Why: Unstarted, Text: fmt.Sprintf("end the preview: %v", s.err)}
	case s.free && s.family != nil && Taken(context.Background(), s.url):
		e.Fault = &Fault{Why: Occupied, Text: fmt.Sprintf("something still answers at %s when everything that the task's command started is gone, so it was not that command's page", s.url)}
	}
	return e
}
