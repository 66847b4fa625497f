package forgetest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// node is an object of the graph: its fields answer a value, another node, or a
// list of nodes. A field that is not there is an error, as on the real forge.
type node struct {
	kind   string
	fields map[string]func(args map[string]any) (any, error)
}

type graphError struct{ kind, text string }

// Error implements error.
func (e *graphError) Error() string { return e.text }

type graphRequest struct {
	Query     string         `json:"query"`
	Variables map[string]any `json:"variables"`
}

// graphqlRoute names the operation, "" for one that is not served.
func graphqlRoute(body []byte) string {
	var in graphRequest
	if json.Unmarshal(body, &in) != nil {
		return ""
	}
	doc, err := parseQuery(in.Query, in.Variables)
	if err != nil || len(doc.fields) != 1 {
		return ""
	}
	f := doc.fields[0]
	switch {
	case doc.kind == "mutation" && f.name == "markPullRequestReadyForReview":
		return "graphql.mark_ready"
	case doc.kind == "mutation" && f.name == "convertPullRequestToDraft":
		return "graphql.convert_draft"
	case doc.kind == "query" && f.name == "viewer":
		return "graphql.viewer"
	case doc.kind == "query" && f.name == "repository" && slices.ContainsFunc(f.fields, func(s selection) bool { return s.name == "pullRequest" }):
		return "graphql.pull"
	case doc.kind == "query" && f.name == "repository":
		return "graphql.issue"
	}
	return ""
}

// runQuery answers the one operation in the request.
func (c *call) runQuery() reply { return c.run(c.queryRoot()) }

func (c *call) markReady() reply {
	return c.run(c.draftMutation("markPullRequestReadyForReview", false))
}
func (c *call) convertDraft() reply { return c.run(c.draftMutation("convertPullRequestToDraft", true)) }

func (c *call) run(root node) reply {
	var in graphRequest
	if err := json.Unmarshal(c.body, &in); err != nil {
		return fail(400, "Problems parsing JSON")
	}
	doc, err := parseQuery(in.Query, in.Variables)
	if err != nil {
		return ok(object{"errors": []any{object{"message": err.Error()}}})
	}
	data := object{}
	if err := resolve(data, root, doc.fields); err != nil {
		entry := object{"message": err.Error(), "path": []any{doc.fields[0].alias}}
		if g, is := err.(*graphError); is {
			entry["type"] = g.kind
		} else {
			c.breach(NotDescribed, describe(c.r)+": "+err.Error())
		}
		return ok(object{"data": object{doc.fields[0].alias: nil}, "errors": []any{entry}})
	}
	return ok(object{"data": data})
}

func resolve(out object, n node, fields []selection) error {
	for _, f := range fields {
		if f.on != "" {
			if f.on == n.kind {
				if err := resolve(out, n, f.fields); err != nil {
					return err
				}
			}
			continue
		}
		if f.name == "__typename" {
			out[f.alias] = n.kind
			continue
		}
		get, known := n.fields[f.name]
		if !known {
			return fmt.Errorf("Field '%s' doesn't exist on type '%s'", f.name, n.kind)
		}
		v, err := get(f.args)
		if err != nil {
			return err
		}
		if out[f.alias], err = shape(v, f); err != nil {
			return err
		}
	}
	return nil
}

func shape(v any, f selection) (any, error) {
	switch v := v.(type) {
	case node:
		o := object{}
		return o, resolve(o, v, f.fields)
	case []node:
		list := []any{}
		for _, n := range v {
			o := object{}
			if err := resolve(o, n, f.fields); err != nil {
				return nil, err
			}
			list = append(list, o)
		}
		return list, nil
	}
	return v, nil
}

func is(v any) func(map[string]any) (any, error) {
	return func(map[string]any) (any, error) { return v, nil }
}

func (c *call) queryRoot() node {
	return node{"Query", map[string]func(map[string]any) (any, error){
		"viewer": is(node{"User", map[string]func(map[string]any) (any, error){
			"login": is(c.who.login), "databaseId": is(c.who.id), "id": is(fmt.Sprintf("U_%d", c.who.id)),
		}}),
		"repository": func(args map[string]any) (any, error) {
			if args["owner"] != c.opts.Repo.Owner || args["name"] != c.opts.Repo.Name {
				return nil, &graphError{"NOT_FOUND", "Could not resolve to a Repository with the name '" + fmt.Sprint(args["owner"], "/", args["name"]) + "'."}
			}
			return c.repositoryNode(), nil
		},
	}}
}

func (c *call) repositoryNode() node {
	find := func(kind string, pullsToo bool, issuesToo bool, area string) func(map[string]any) (any, error) {
		return func(args map[string]any) (any, error) {
			if !grants(c.token, area, "read") {
				return nil, &graphError{"FORBIDDEN", "Resource not accessible by integration"}
			}
			number, _ := args["number"].(float64)
			t, err := c.ticket(int(number))
			if err != nil || t.pull != nil && !pullsToo || t.pull == nil && !issuesToo {
				return nil, &graphError{"NOT_FOUND", fmt.Sprintf("Could not resolve to %s with the number of %v.", kind, args["number"])}
			}
			return c.ticketNode(t), nil
		}
	}
	return node{"Repository", map[string]func(map[string]any) (any, error){
		"issue":              find("an Issue", false, true, "issues"),
		"pullRequest":        find("a PullRequest", true, false, "pull_requests"),
		"issueOrPullRequest": find("an issue or pull request", true, true, "issues"),
	}}
}

func (c *call) ticketNode(t *ticket) node {
	n := node{"Issue", map[string]func(map[string]any) (any, error){
		"id": is(t.node()), "number": is(t.number), "title": is(t.title), "body": is(t.body), "lastEditedAt": c.edited(t.edited),
	}}
	if t.pull == nil {
		return n
	}
	n.kind = "PullRequest"
	n.fields["isDraft"] = is(t.pull.draft)
	n.fields["headRefOid"] = is(t.pull.headSHA)
	n.fields["reviews"] = func(args map[string]any) (any, error) {
		return connection("PullRequestReviewConnection", c.reviewNodes(t), args)
	}
	return n
}

// edited is the time of an edit, unless the token may not know it.
func (c *call) edited(at *time.Time) func(map[string]any) (any, error) {
	return func(map[string]any) (any, error) {
		if c.opts.Faults.EditsForbidden {
			return nil, &graphError{"FORBIDDEN", "Resource not accessible by integration"}
		}
		return stampOrNil(at), nil
	}
}

func (c *call) reviewNodes(t *ticket) []node {
	var out []node
	for _, r := range t.pull.reviews {
		out = append(out, node{"PullRequestReview", map[string]func(map[string]any) (any, error){
			// databaseId is 32 bits wide and null beyond them.
			"databaseId": is(nil), "fullDatabaseId": is(strconv.FormatInt(r.id, 10)), "body": is(r.body), "state": is(r.state),
			"lastEditedAt": c.edited(r.edited),
		}})
	}
	return out
}

// connection cuts a page of two, or fewer when the client asks for fewer.
func connection(kind string, all []node, args map[string]any) (any, error) {
	first, given := args["first"].(float64)
	if !given || first < 1 || first > 100 {
		return nil, &graphError{"INVALID_PAGINATION", "You must provide a `first` or `last` value to properly paginate."}
	}
	from := 0
	if cursor, given := args["after"].(string); given {
		n, err := strconv.Atoi(cursor)
		if err != nil || n < 0 || n > len(all) {
			return nil, &graphError{"INVALID_CURSOR_ARGUMENTS", fmt.Sprintf("`%s` does not appear to be a valid cursor.", cursor)}
		}
		from = n
	}
	to := min(from+min(int(first), pageSize), len(all))
	var end any
	if to > from {
		end = strconv.Itoa(to)
	}
	return node{kind, map[string]func(map[string]any) (any, error){
		"nodes":      is(all[from:to]),
		"totalCount": is(len(all)),
		"pageInfo": is(node{"PageInfo", map[string]func(map[string]any) (any, error){
			"hasNextPage": is(to < len(all)), "endCursor": is(end),
		}}),
	}}, nil
}

func (c *call) draftMutation(name string, draft bool) node {
	return node{"Mutation", map[string]func(map[string]any) (any, error){name: func(args map[string]any) (any, error) {
		if c.opts.Faults.ReadyForbidden || !grants(c.token, "pull_requests", "write") {
			return nil, &graphError{"FORBIDDEN", "Resource not accessible by integration"}
		}
		input, _ := args["input"].(map[string]any)
		for _, t := range c.tickets {
			if t.pull != nil && t.node() == input["pullRequestId"] {
				c.setDraft(t, c.who, draft)
				return node{"Payload", map[string]func(map[string]any) (any, error){"pullRequest": is(c.ticketNode(t))}}, nil
			}
		}
		return nil, &graphError{"NOT_FOUND", fmt.Sprintf("Could not resolve to a node with the global id of '%v'", input["pullRequestId"])}
	}}}
}

func (s *Server) setDraft(t *ticket, who *account, draft bool) {
	if t.pull.draft == draft {
		return
	}
	t.pull.draft = draft
	kind, action := "ready_for_review", "ready_for_review"
	if draft {
		kind, action = "convert_to_draft", "converted_to_draft"
	}
	t.record(s, happening{kind: kind, actor: who})
	s.deliverPull(action, t, who, nil)
}
