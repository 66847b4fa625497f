package forgetest

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// pageSize is the most a page holds, whatever a client asks for, so that each
// list of three has a second page.
const pageSize = 2

// page cuts the page that the request asks for and links to the others.
func (c *call) page(items []any) ([]any, http.Header) {
	q := c.r.URL.Query()
	size := pageSize
	if n, err := strconv.Atoi(q.Get("per_page")); err == nil && n > 0 && n < size {
		size = n
	}
	number := 1
	if n, err := strconv.Atoi(q.Get("page")); err == nil && n > 0 {
		number = n
	}
	last := max(1, (len(items)+size-1)/size)
	var links []string
	link := func(rel string, n int) {
		q.Set("page", strconv.Itoa(n))
		links = append(links, fmt.Sprintf(`<%s%s?%s>; rel="%s"`, c.url, c.r.URL.EscapedPath(), q.Encode(), rel))
	}
	if number > 1 {
		link("prev", min(number-1, last))
		link("first", 1)
	}
	if number < last {
		link("next", number+1)
		link("last", last)
	}
	header := http.Header{}
	if len(links) > 0 {
		header.Set("Link", strings.Join(links, ", "))
	}
	from := min((number-1)*size, len(items))
	return items[from:min(from+size, len(items))], header
}

func (c *call) list(items []any) reply {
	page, header := c.page(items)
	if page == nil {
		page = []any{}
	}
	return reply{status: http.StatusOK, value: page, header: header}
}
