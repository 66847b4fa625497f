package forgetest

import (
	"fmt"
	"strings"
)

// deliverPush makes the payload of a push. The caller holds the lock.
func (s *Server) deliverPush(who *account, branch, before, after string) Delivery {
	zero := strings.Repeat("0", 40)
	created := before == ""
	if created {
		before = zero
	}
	person := object{"name": who.login, "email": nil}
	commit := object{
		"id": after, "tree_id": zero, "distinct": true, "message": "", "timestamp": stamp(s.opts.Clock()), "url": s.web("/commit/%s", after),
		"author": person, "committer": person, "added": []any{}, "removed": []any{}, "modified": []any{},
	}
	// The repository of a push has seconds where others have dates.
	repo := s.repository()
	repo["created_at"], repo["pushed_at"] = s.created.Unix(), s.opts.Clock().Unix()
	repo["stargazers"], repo["master_branch"] = 0, s.opts.DefaultBranch
	return s.deliver("push", "", who, object{
		"repository": repo,
		"ref":        "refs/heads/" + branch, "before": before, "after": after, "created": created, "deleted": false, "forced": false,
		"base_ref": nil, "compare": s.web("/compare/%s...%s", before, after), "commits": []any{commit}, "head_commit": commit,
		"pusher": person,
	})
}

// WorkflowRun is the payload of a finished workflow that a pull request's event
// started: it wakes a workflow of the default branch.
func (s *Server) WorkflowRun(login, workflow string, number int, conclusion string) (d Delivery, err error) {
	err = s.onPull(login, number, func(who *account, t *ticket) error {
		p := t.pull
		repo := object{"id": 700, "url": s.api(""), "name": s.opts.Repo.Name}
		head := s.pullHead(p)
		run := object{
			"id": s.nextID(), "name": workflow, "head_branch": p.headRef, "head_sha": p.headSHA, "event": "pull_request_review",
			"status": "completed", "conclusion": conclusion, "repository": s.repository(), "head_repository": head["repo"],
			"actor": s.user(who), "triggering_actor": s.user(who), "pull_requests": []any{},
		}
		if p.fork == nil { // the real forge lists none for a fork
			run["pull_requests"] = []any{object{
				"id": t.id, "number": t.number, "url": s.api("/pulls/%d", t.number),
				"head": object{"ref": p.headRef, "sha": p.headSHA, "repo": repo}, "base": object{"ref": p.baseRef, "sha": p.baseSHA, "repo": repo},
			}}
		}
		d = s.deliver("workflow_run", "completed", who, object{"workflow_run": run, "workflow": object{"name": workflow}})
		return nil
	})
	return d, err
}

// Schedule is the event file of a timer.
func (s *Server) Schedule() Delivery {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.deliver("schedule", "", s.owner(), object{"schedule": "*/15 * * * *"})
}

// OpenForkPR opens a pull request from a fork of that person, on a branch that
// may have any name.
func (s *Server) OpenForkPR(login, headRef, title string, files map[string]string) (number int, d Delivery, err error) {
	s.gitMu.Lock()
	defer s.gitMu.Unlock()
	err = s.act(login, func(who *account) error {
		base := s.branches[s.opts.DefaultBranch].sha
		commit, err := s.commit(base, title, s.identity(who), files)
		if err != nil {
			return fmt.Errorf("commit in the fork: %w", err)
		}
		t, err := s.openPull(who, title, "", &pull{fork: who, headRef: headRef, headSHA: commit, baseRef: s.opts.DefaultBranch, baseSHA: base})
		if err != nil {
			return err
		}
		number, d = t.number, s.deliveries[len(s.deliveries)-1]
		return nil
	})
	return number, d, err
}

// DeleteFork removes the fork that a pull request came from.
func (s *Server) DeleteFork(number int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.pullTicket(number)
	if err == nil && t.pull.fork == nil {
		err = fmt.Errorf("delete the fork of pull request %d: it has none", number)
	}
	if err == nil {
		t.pull.forkGone = true
	}
	return err
}

// ConcludeCheck gives a check run a conclusion, as somebody else's token or the
// forge itself can.
func (s *Server) ConcludeCheck(id int64, conclusion string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, run := range s.checks {
		if run.id == id {
			run.status, run.conclusion, run.completed = "completed", conclusion, pointer(s.opts.Clock())
			return nil
		}
	}
	return fmt.Errorf("conclude check %d: there is none", id)
}
