package proc

import (
	"cmp"
	"errors"
	"os"
	"os/exec"
	"sync"
	"time"
)

// streams owns the pipes to a child and the goroutines on them. None of them
// can hold the caller: closing our end of a pipe ends its goroutine, whoever
// holds the other end.
type streams struct {
	stdout, stderr collector
	ours           []*os.File // our ends
	theirs         []*os.File // the child's ends, closed once it has them
	inputFile      *os.File
	input          []byte
	written        int64
	inputDone      chan struct{}
	readers        sync.WaitGroup
	readDone       chan struct{}
}

// attach makes the pipes for cmd.
func attach(cmd *exec.Cmd, c Command) (*streams, error) {
	s := &streams{input: c.Stdin, inputDone: make(chan struct{}), readDone: make(chan struct{})}
	s.stdout.max, s.stderr.max = c.maxOutput(), c.maxOutput()
	s.stdout.tail, s.stderr.tail = cmp.Or(c.MaxTail, tailSize), cmp.Or(c.MaxTail, tailSize)
	if c.OnLine != nil {
		mu := new(sync.Mutex)
		s.stdout.lines = &lines{stream: "stdout", max: cmp.Or(c.MaxLine, lineSize), mu: mu, on: c.OnLine}
		s.stderr.lines = &lines{stream: "stderr", max: cmp.Or(c.MaxLine, lineSize), mu: mu, on: c.OnLine}
	}
	var files [2]*os.File
	for i := range files {
		r, w, err := os.Pipe()
		if err != nil {
			s.discard()
			return nil, err
		}
		s.ours, s.theirs = append(s.ours, r), append(s.theirs, w)
		files[i] = w
	}
	cmd.Stdout, cmd.Stderr = files[0], files[1]
	if c.Stdin != nil {
		r, w, err := os.Pipe()
		if err != nil {
			s.discard()
			return nil, err
		}
		s.theirs = append(s.theirs, r)
		s.inputFile, cmd.Stdin = w, r
	}
	return s, nil
}

func (s *streams) discard() {
	s.closeTheirs()
	for _, f := range s.ours {
		f.Close()
	}
	if s.inputFile != nil {
		s.inputFile.Close()
	}
}

func (s *streams) closeTheirs() {
	for _, f := range s.theirs {
		f.Close()
	}
	s.theirs = nil
}

// pump starts moving data; the child has been started.
func (s *streams) pump() {
	s.closeTheirs()
	for i, c := range []*collector{&s.stdout, &s.stderr} {
		s.readers.Add(1)
		go func() {
			defer s.readers.Done()
			c.readFrom(s.ours[i])
		}()
	}
	go func() {
		s.readers.Wait()
		close(s.readDone)
	}()
	go func() {
		defer close(s.inputDone)
		if s.inputFile == nil {
			return
		}
		n, err := s.inputFile.Write(s.input)
		s.written = int64(n)
		if !errors.Is(err, os.ErrClosed) {
			s.inputFile.Close()
		}
	}()
}

// drained waits until both outputs ended, at most for limit, and reports
// whether they did.
func (s *streams) drained(limit time.Duration) bool {
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case <-s.readDone:
		return true
	case <-t.C:
		return false
	}
}

// end closes every pipe and waits for the goroutines.
func (s *streams) end() {
	if s.inputFile != nil {
		s.inputFile.Close()
	}
	for _, f := range s.ours {
		f.Close()
	}
	<-s.inputDone
	<-s.readDone
}
