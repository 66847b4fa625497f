package forgetest

import (
	"encoding/json"
	"fmt"
	"maps"
)

// deliver makes the payload of an event, keeps it and returns it. The caller
// holds the lock.
func (s *Server) deliver(event, action string, who *account, fields object) Delivery {
	payload := object{"repository": s.repository(), "sender": s.user(who)}
	if action != "" {
		payload["action"] = action
	}
	maps.Copy(payload, fields)
	data, err := json.Marshal(payload)
	if err != nil {
		// Maps, slices and scalars always have a JSON form; were it not so, an
		// empty payload would fail whoever reads it.
		data = nil
	}
	d := Delivery{ID: fmt.Sprintf("00000000-0000-4000-8000-%012d", s.nextID()), Event: event, Payload: data}
	s.deliveries = append(s.deliveries, d)
	return d
}

func (s *Server) deliverIssue(action string, t *ticket, who *account, more object) Delivery {
	fields := object{"issue": s.issue(t)}
	maps.Copy(fields, more)
	return s.deliver("issues", action, who, fields)
}

func (s *Server) deliverComment(action string, r *remark, who *account, more object) Delivery {
	fields := object{"issue": s.issue(r.ticket), "comment": s.comment(r)}
	maps.Copy(fields, more)
	return s.deliver("issue_comment", action, who, fields)
}

func (s *Server) deliverPull(action string, t *ticket, who *account, more object) Delivery {
	fields := object{"number": t.number, "pull_request": s.fullPull(t)}
	maps.Copy(fields, more)
	return s.deliver("pull_request", action, who, fields)
}

// deliverReview writes the state in lower case, as webhooks do and REST does not.
func (s *Server) deliverReview(action string, t *ticket, r *review, who *account, more object) Delivery {
	o := s.review(t, r)
	o["state"] = lower(r.state)
	if r.body == "" {
		o["body"] = nil
	}
	pull := s.pull(t)
	fields := object{"review": o, "pull_request": pull}
	maps.Copy(fields, more)
	return s.deliver("pull_request_review", action, who, fields)
}

func (s *Server) deliverNote(action string, t *ticket, n *note, who *account) Delivery {
	return s.deliver("pull_request_review_comment", action, who, object{"comment": s.note(t, n), "pull_request": s.pull(t)})
}
