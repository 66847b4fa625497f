package sandbox

// Property is something that a child cannot do, and what keeps it from it. A
// backend that does not hold a property does not claim it.
type Property struct {
	ID         string // a word for tests
	Says       string // of a child, as SECURITY.md has it
	Bubblewrap bool
	Landlock   int // the version from which it holds; 0 for never
}

// Holds reports whether a backend of a report holds p.
func (p Property) Holds(r Report) bool {
	switch r.Backend {
	case Bubblewrap:
		return p.Bubblewrap
	case Landlock:
		return p.Landlock > 0 && r.ABI >= p.Landlock
	}
	return false
}

// Properties are all that backends are compared by.
func Properties() []Property {
	return []Property{
		{"outside", "writes nothing but the worktree, its HOME and its temporary directory", true, minABI},
		{"reader", "that only reads writes nothing in the worktree", true, minABI},
		{"protected", "changes nothing in `.git` and `.warden` of a worktree that it writes", true, 0},
		{"home", "reads no file of a home but what is shared", true, minABI},
		{"machine", "reads no file of the machine's `/tmp` and `/run`, and none that is hidden from it outside of the worktree", true, minABI},
		{"tree", "sees nothing of what is hidden from it in the worktree", true, 0},
		{"names", "cannot tell whether a path that it may not read is there", true, 0},
		{"tmp", "has a `/tmp` of its own", true, 0},
		{"tcp", "without the network reaches nobody by TCP", true, ABITCP},
		{"udp", "without the network reaches nobody by UDP", true, 0},
		{"loopback", "without the network still has a loopback of its own", true, 0},
		{"paths", "reaches no daemon through a socket with a path", true, 0},
		{"abstract", "without the network reaches no abstract socket", true, ABIScope},
		{"abstract-net", "with the network reaches no abstract socket", false, ABIScope},
		{"memory", "reads neither memory nor environment of a process outside", true, minABI},
		{"list", "does not see the processes outside and their command lines", true, 0},
		{"signal", "signals no process outside", true, ABIScope},
		{"capabilities", "has no capability", true, minABI},
		{"mount", "mounts and unmounts nothing", true, minABI},
		{"settings", "changes no setting of the kernel", true, minABI},
		{"outlive", "leaves nothing running behind its call", true, ABIScope},
		{"orphans", "leaves nothing running when Warden is killed", true, 0},
	}
}
