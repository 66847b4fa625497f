package corpus

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/metrics"
)

// Numbers are the sums over a corpus.
type Numbers struct {
	metrics.Ledger
	Corpus    string `json:"corpus"`
	ProjectID string `json:"project_id,omitempty"` // the filter
	// Projects are what the corpus has, whatever the filter is.
	Projects []Project `json:"projects"`
	// IdentityUnknown are runs that the filter leaves out because nobody can tell
	// where they belong.
	IdentityUnknown int `json:"identity_unknown_runs"`
}

// Project is one project of a corpus.
type Project struct {
	ID    string   `json:"project_id"`
	Names []string `json:"names"` // as contracts call it
	Runs  int      `json:"runs"`  // with a receipt
}

// Read adds up the runs of a project, or with "" all of them. What does not verify
// keeps the sums from being exact for every project that it may belong to. What is read
// is remembered in the index.
func (c Corpus) Read(project string, index metrics.Index) (Numbers, error) {
	out := Numbers{Corpus: c.dir, ProjectID: project, Projects: []Project{}}
	ids, strange, err := c.projects()
	if err != nil {
		return out, err
	}
	var doubts []metrics.Unverified
	for _, name := range strange {
		doubts = append(doubts, metrics.Unverified{RunID: name, Code: ledger.CodeAltered, First: "is no directory of a project"})
	}
	var sources []metrics.Source
	for _, id := range ids {
		from, more, told, err := c.project(id)
		if err != nil {
			return out, err
		}
		out.Projects = append(out.Projects, told)
		for i := range from {
			from[i].Index = index
		}
		if project != "" && id == Unknown {
			for i := range from {
				from[i].Doubts = true
			}
			out.IdentityUnknown = told.Runs
		}
		if project == "" || id == project || id == Unknown {
			sources, doubts = append(sources, from...), append(doubts, more...)
		}
	}
	out.Ledger, err = metrics.ReadAll(sources, doubts)
	return out, err
}

// project is what one project has: its shelves, and what is wrong with their receipts.
func (c Corpus) project(id string) (from []metrics.Source, doubts []metrics.Unverified, told Project, err error) {
	told = Project{ID: id, Names: []string{}}
	doubt := func(code, where, what string) {
		doubts = append(doubts, metrics.Unverified{RunID: where, Project: id, Code: code, First: what})
	}
	shelves, strange, err := c.shelves(id)
	if errors.Is(err, fs.ErrPermission) {
		doubt(metrics.CodeUnreadable, id, err.Error())
		return nil, doubts, told, nil
	}
	if err != nil {
		return nil, nil, told, err
	}
	for _, name := range strange {
		doubt(ledger.CodeAltered, name, "is no directory of runs")
	}
	for _, shelf := range shelves {
		r, err := readReceipts(shelf)
		if err != nil {
			doubt(metrics.CodeUnreadable, filepath.Base(shelf), err.Error())
		}
		if r.problem != "" {
			doubt(ledger.CodeAltered, filepath.Base(shelf), r.problem)
		}
		if r.newer > 0 {
			doubt(ledger.CodeAltered, filepath.Base(shelf), fmt.Sprintf("%s: %d of a newer version", fileReceipts, r.newer))
		}
		told.Runs += len(r.of)
		for _, one := range r.of {
			if one.Project != "" && !slices.Contains(told.Names, one.Project) {
				told.Names = append(told.Names, one.Project)
			}
		}
		from = append(from, metrics.Source{RunsDir: shelf, Project: id, Heads: r.heads()})
	}
	slices.Sort(told.Names)
	return from, doubts, told, nil
}
