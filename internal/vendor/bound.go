package vendor

import "slices"

// Bounds of what is kept of a stream while it is read.
const (
	maxAnswers  = 100      // texts that may hold the artifact
	maxTexts    = 4 << 20  // bytes of them together
	maxFailures = 400      // structured errors
	maxWords    = 16 << 10 // bytes of one of them
	maxLoose    = 120      // bytes of a loose line of stdout that is no prose
)

// answer adds a text that may hold the artifact, after the others.
func (e *Envelope) answer(text string) {
	if len(e.Answers) < maxAnswers && bytesOf(e.Answers) < maxTexts {
		e.Answers = append(e.Answers, answerOf(text))
	}
}

// newest adds one before the others, of which the oldest go.
func (e *Envelope) newest(text string) {
	e.Answers = slices.Insert(e.Answers, 0, answerOf(text))
	for len(e.Answers) > maxAnswers || len(e.Answers) > 1 && bytesOf(e.Answers) > maxTexts {
		e.Answers = e.Answers[:len(e.Answers)-1]
	}
}

// answerOf is the part of a text that is searched. It is a copy, so that the rest
// goes.
func answerOf(text string) string {
	if len(text) > maxAnswer {
		return string([]byte(text[len(text)-maxAnswer:]))
	}
	return text
}

func bytesOf(texts []string) int {
	n := 0
	for _, t := range texts {
		n += len(t)
	}
	return n
}

func (e *Envelope) fail(f Failure) { e.Failures = bounded(e.Failures, f) }

// bounded adds a failure. Of very many the first and the last stay, and among
// those between them the ones that ended nothing go first.
func bounded(list []Failure, f Failure) []Failure {
	f.Text, f.Kind = cut(f.Text, maxWords), cut(f.Kind, maxWords)
	if len(list) < maxFailures {
		return append(list, f)
	}
	drop := maxFailures / 2
	for i := drop; i < len(list); i++ {
		if !list[i].Final && !list[i].Plan {
			drop = i
			break
		}
	}
	return append(slices.Delete(list, drop, drop+1), f)
}

// pieces is a text that comes in pieces, of which the end is kept.
type pieces struct{ text []byte }

func (p *pieces) add(s string) {
	p.text = append(p.text, s[max(0, len(s)-maxAnswer):]...)
	if len(p.text) > 2*maxAnswer {
		p.text = append(p.text[:0], p.text[len(p.text)-maxAnswer:]...)
	}
}

func (p *pieces) reset() { p.text = p.text[:0] }

// tell hands the text over as the answer, if there is one.
func (p *pieces) tell(e *Envelope) {
	if len(p.text) > 0 {
		e.answer(string(p.text))
	}
}
