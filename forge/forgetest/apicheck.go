package forgetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"unicode/utf8"
)

const (
	maxAnnotations = 50
	maxOutput      = 65535
	maxDescription = 140
)

type checkInput struct {
	Name, Status, Conclusion string
	HeadSHA                  string  `json:"head_sha"`
	ExternalID               *string `json:"external_id"`
	Output                   *struct {
		Title, Summary, Text string
		Annotations          []map[string]any
	}
}

func (c *call) createCheck() reply {
	run := &checkRun{status: "queued", started: c.opts.Clock()}
	var in checkInput
	if rep := c.checkInput(&in); rep != nil {
		return *rep
	}
	if in.Name == "" || !c.hasCommit(in.HeadSHA) {
		return fail(http.StatusUnprocessableEntity, "No commit found for SHA: "+in.HeadSHA)
	}
	run.sha = in.HeadSHA
	run.id = c.nextID()
	c.fill(run, in)
	c.checks = append(c.checks, run)
	return created(c.check(run))
}

func (c *call) updateCheck() reply {
	i := slices.IndexFunc(c.checks, func(r *checkRun) bool { return r.id == c.id() })
	if i < 0 {
		return notFound()
	}
	var in checkInput
	if rep := c.checkInput(&in); rep != nil {
		return *rep
	}
	c.fill(c.checks[i], in)
	return ok(c.check(c.checks[i]))
}

// checkInput reads the request and refuses what the forge would.
func (c *call) checkInput(in *checkInput) *reply {
	if c.opts.Faults.ChecksForbidden {
		return pointer(fail(http.StatusForbidden, "Resource not accessible by integration"))
	}
	if err := json.Unmarshal(c.body, in); err != nil {
		return pointer(fail(http.StatusBadRequest, "Problems parsing JSON"))
	}
	refuse := func(text string) *reply {
		return pointer(fail(http.StatusUnprocessableEntity, "Invalid request.\n\n"+text))
	}
	if in.Status == "completed" && in.Conclusion == "" {
		return refuse("A completed check run needs a conclusion.")
	}
	if in.Output == nil {
		return nil
	}
	if n := len(in.Output.Annotations); n > maxAnnotations {
		return refuse(fmt.Sprintf("No more than %d items are allowed; %d were supplied.", maxAnnotations, n))
	}
	if utf8.RuneCountInString(in.Output.Summary) > maxOutput {
		return refuse(fmt.Sprintf("Only %d characters are allowed; %d were supplied.", maxOutput, utf8.RuneCountInString(in.Output.Summary)))
	}
	if len(in.Output.Summary) > maxOutput {
		return refuse("summary exceeds a maximum bytesize of 65535")
	}
	return nil
}

// fill applies a request. The output is replaced as a whole, but its
// annotations are added to those that are there.
func (c *call) fill(run *checkRun, in checkInput) {
	if in.Name != "" {
		run.name = in.Name
	}
	if in.ExternalID != nil {
		run.external = *in.ExternalID
	}
	switch {
	case in.Conclusion != "":
		run.status, run.conclusion = "completed", in.Conclusion
		run.completed = pointer(c.opts.Clock())
	case in.Status != "":
		run.status, run.conclusion, run.completed = in.Status, "", nil
	}
	if o := in.Output; o != nil {
		run.title, run.summary, run.text = o.Title, o.Summary, o.Text
		if len(run.text) > maxOutput {
			run.text = run.text[:maxOutput]
		}
		run.annotations = append(run.annotations, o.Annotations...)
	}
}

func (c *call) hasCommit(sha string) bool {
	if len(sha) != 40 {
		return false
	}
	_, err := c.git(nil, nil, "cat-file", "-e", sha+"^{commit}")
	return err == nil
}

func (c *call) listChecks() reply {
	q := c.r.URL.Query()
	var items []any
	for _, run := range slices.Backward(c.checks) {
		if run.sha == c.r.PathValue("sha") && (q.Get("check_name") == "" || q.Get("check_name") == run.name) {
			items = append(items, c.check(run))
		}
	}
	rep := c.list(items)
	rep.value = object{"total_count": len(items), "check_runs": rep.value}
	return rep
}

func (c *call) listAnnotations() reply {
	i := slices.IndexFunc(c.checks, func(r *checkRun) bool { return r.id == c.id() })
	if i < 0 {
		return notFound()
	}
	var items []any
	for _, a := range c.checks[i].annotations {
		o := object{"title": nil, "raw_details": nil, "start_column": nil, "end_column": nil, "blob_href": c.web("/blob/%s/%v", c.checks[i].sha, a["path"])}
		for k, v := range a {
			o[k] = v
		}
		items = append(items, o)
	}
	return c.list(items)
}

func (s *Server) check(run *checkRun) object {
	orNil := func(text string) any {
		if text == "" {
			return nil
		}
		return text
	}
	return object{
		"id": run.id, "node_id": fmt.Sprintf("CR_%d", run.id), "head_sha": run.sha, "name": run.name, "external_id": run.external,
		"url": s.api("/check-runs/%d", run.id), "html_url": s.web("/runs/%d", run.id), "details_url": s.web("/runs/%d", run.id),
		"status": run.status, "conclusion": orNil(run.conclusion), "started_at": stamp(run.started), "completed_at": stampOrNil(run.completed),
		"check_suite": object{"id": 5}, "app": s.app(), "pull_requests": []any{},
		"output": object{
			"title": orNil(run.title), "summary": orNil(run.summary), "text": orNil(run.text), "annotations_count": len(run.annotations),
			"annotations_url": s.api("/check-runs/%d/annotations", run.id),
		},
	}
}

func (c *call) createStatus() reply {
	var in struct {
		State, Context, Description string
		TargetURL                   string `json:"target_url"`
	}
	if err := json.Unmarshal(c.body, &in); err != nil {
		return fail(http.StatusBadRequest, "Problems parsing JSON")
	}
	sha := c.r.PathValue("sha")
	switch {
	case !c.hasCommit(sha):
		return fail(http.StatusUnprocessableEntity, "No commit found for SHA: "+sha)
	case !slices.Contains([]string{"pending", "success", "error", "failure"}, in.State):
		return invalid("Status", "state", "state is not included in the list")
	case utf8.RuneCountInString(in.Description) > maxDescription:
		return invalid("Status", "description", "description is too long (maximum is 140 characters)")
	}
	st := &commitStatus{
		id: c.nextID(), sha: sha, context: in.Context, state: in.State, description: in.Description, target: in.TargetURL,
		creator: c.who, at: c.opts.Clock(),
	}
	if st.context == "" {
		st.context = "default"
	}
	c.statuses = append(c.statuses, st)
	return created(c.status(st))
}

func (c *call) listStatuses() reply {
	var items []any
	for _, st := range slices.Backward(c.statuses) {
		if st.sha == c.r.PathValue("sha") {
			items = append(items, c.status(st))
		}
	}
	return c.list(items)
}

func (s *Server) status(st *commitStatus) object {
	return object{
		"url": s.api("/statuses/%s", st.sha), "avatar_url": fmt.Sprintf("%s/avatars/%d", s.url, st.creator.id), "id": st.id,
		"node_id": fmt.Sprintf("SC_%d", st.id), "state": st.state, "description": st.description, "target_url": st.target,
		"context": st.context, "created_at": stamp(st.at), "updated_at": stamp(st.at), "creator": s.user(st.creator),
	}
}
