package launcher

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// children lists the processes whose parent is id. They cannot be replaced by
// others of the same number before they are waited for.
func children(id int) ([]int, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	var out []int
	for _, name := range names {
		child, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + name + "/stat")
		if err == nil && parentOf(string(stat)) == id {
			out = append(out, child)
		}
	}
	return out, nil
}

// parentOf reads the parent of a line of /proc/<id>/stat, 0 when there is none. The
// name in it may hold blanks and parentheses.
func parentOf(stat string) int {
	f := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(f) < 2 {
		return 0
	}
	parent, err := strconv.Atoi(f[1])
	if err != nil {
		return 0
	}
	return parent
}
