package metrics

// Forge writes an index that says of every run that it failed over ninety times, which
// none of them did.
func Forge(x Index, runsDir string) int {
	before := x.load(runsDir)
	var all []reading
	for _, r := range before {
		r.facts.failovers, r.again = 90, false
		all = append(all, r)
	}
	x.save(runsDir, before, all, x.Now)
	return len(all)
}

// Unpacked is the number of runs that an index remembers, and the index written anew.
func Unpacked(data []byte, maker, runsDir string) (int, []byte) {
	runs := unpack(data, maker, runsDir)
	var all []reading
	for _, r := range runs {
		all = append(all, r)
	}
	return len(runs), pack(all, maker, runsDir)
}
