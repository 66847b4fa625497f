package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/tolboy/warden/internal/durable"
)

// chain is the content of run.json and evidence.jsonl, and what is wrong in it.
type chain struct {
	head    RunHead
	headSHA string
	raws    [][]byte // whole lines, without line breaks
	lines   []Line   // the zero Line where a line could not be read
	whole   int64    // bytes of whole lines
	torn    int64    // bytes after the last line break
	faults  []fault
	newer   []int // numbers of lines whose type this version does not know
}

// fault is something that does not fit. Its order is that of the evidence: 0 is
// run.json, n is line n.
type fault struct {
	order int
	where string
	what  string
}

func readChain(dir *durable.Dir, id string) (*chain, error) {
	raw, err := dir.Read(path.Join(id, fileHead), maxHead)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read run %q: %w", id, ErrUnknownRun)
	}
	if err != nil {
		return nil, fmt.Errorf("read run %q: %w", id, err)
	}
	evidence, err := dir.Read(path.Join(id, fileEvidence), MaxEvidence)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return nil, fmt.Errorf("read run %q: %w", id, err)
	}
	c := parseChain(id, raw, evidence)
	if missing {
		c.fail(1, fileEvidence, "is missing")
	}
	return c, nil
}

// parseChain reads the bytes and notes every line that cannot be read.
func parseChain(id string, head, evidence []byte) *chain {
	c := &chain{headSHA: digest(head)}
	var err error
	if c.head, err = parseHead(head); err != nil {
		c.fail(0, fileHead, err.Error())
	} else if c.head.RunID != id {
		c.fail(0, fileHead, fmt.Sprintf("is of run %q", clip(c.head.RunID)))
	}
	c.whole = int64(bytes.LastIndexByte(evidence, '\n') + 1)
	c.torn = int64(len(evidence)) - c.whole
	for rest := evidence[:c.whole]; len(rest) > 0; {
		raw, after, _ := bytes.Cut(rest, []byte("\n"))
		rest = after
		n := len(c.raws) + 1
		line, err := parseLine(raw)
		if err != nil {
			c.fail(n, lineName(n), err.Error())
			line = Line{SHA256: digest(raw)}
		}
		c.raws, c.lines = append(c.raws, raw), append(c.lines, line)
	}
	return c
}

func parseHead(raw []byte) (RunHead, error) {
	var head RunHead
	dec := json.NewDecoder(bytes.NewReader(raw))
	if err := dec.Decode(&head); err != nil {
		return RunHead{}, fmt.Errorf("is not the head of a run: %w", err)
	}
	if head.SchemaVersion != SchemaVersion {
		return RunHead{}, fmt.Errorf("has schema version %d, which this version does not know", head.SchemaVersion)
	}
	return head, nil
}

// check follows the chain. anchor, when given, is a hash known from elsewhere;
// it helps to tell which of two lines that do not fit is the altered one.
func (c *chain) check(anchor string) {
	for i := range c.lines {
		n, l := i+1, c.lines[i]
		if l.Seq == 0 {
			continue // noted when it was read
		}
		if l.Seq != n {
			// Out of its place: what stands before it here was never before it.
			c.fail(n, lineName(n), fmt.Sprintf("carries the number %d", l.Seq))
			continue
		}
		before := c.headSHA
		if i > 0 {
			before = c.lines[i-1].SHA256
		}
		if l.Prev != before {
			c.blame(n, anchor)
		}
		c.checkMeaning(n, l)
	}
}

// blame notes a break between line n and what stands before it. The line that
// its successor, or the anchor, confirms is not the altered one.
func (c *chain) blame(n int, anchor string) {
	hash := c.lines[n-1].SHA256
	confirmed := hash == anchor || n < len(c.lines) && c.lines[n].Prev == hash
	switch {
	case !confirmed:
		c.fail(n, lineName(n), "does not continue what stands before it")
	case n == 1:
		c.fail(0, fileHead, "is not what line 1 was written after")
	default:
		c.fail(n-1, lineName(n-1), fmt.Sprintf("is not what line %d was written after", n))
	}
}

// checkMeaning makes sure that an event can be read as what it is filed under.
func (c *chain) checkMeaning(n int, l Line) {
	_, err := l.Payload()
	switch {
	case errors.Is(err, ErrUnknownType):
		c.newer = append(c.newer, n)
	case err != nil:
		c.fail(n, lineName(n), "cannot be read: "+err.Error())
	}
	if s := c.sealed(); s >= 0 && n-1 > s && payload(l.Type) != nil && !followsSeal(l.Type) {
		c.fail(n, lineName(n), fmt.Sprintf("is %q, after the work had ended", l.Type))
	}
	for _, f := range l.Files {
		if err := checkPath(c.head.RunID, f.Path); err != nil {
			c.fail(n, lineName(n), err.Error())
		}
	}
}

// sealed returns the index of the line that ended the work, or -1.
func (c *chain) sealed() int {
	return slices.IndexFunc(c.lines, func(l Line) bool { return Seals(l.Type) })
}

func (c *chain) tip() string {
	if n := len(c.lines); n > 0 {
		return c.lines[n-1].SHA256
	}
	return c.headSHA
}

const maxFaults = 100

func (c *chain) fail(order int, where, what string) {
	if len(c.faults) < maxFaults {
		c.faults = append(c.faults, fault{order, where, what})
	}
}

// first returns the first thing that does not fit, or "".
func (c *chain) first() string {
	if len(c.faults) == 0 {
		return ""
	}
	slices.SortStableFunc(c.faults, func(a, b fault) int { return a.order - b.order })
	return c.faults[0].where + ": " + c.faults[0].what
}

func lineName(n int) string { return fmt.Sprintf("line %d", n) }
