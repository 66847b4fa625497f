package corpus

import "io"

// wholeLines is the size of a file without the line that a crash cut off.
func wholeLines(r io.ReaderAt, size int64) (int64, error) {
	at := make([]byte, 4096)
	for end := size; end > 0; {
		begin := max(0, end-int64(len(at)))
		n, err := r.ReadAt(at[:end-begin], begin)
		if err != nil && (err != io.EOF || int64(n) < end-begin) {
			return 0, err
		}
		for i := n - 1; i >= 0; i-- {
			if at[i] == '\n' {
				return begin + int64(i) + 1, nil
			}
		}
		end = begin
	}
	return 0, nil
}
