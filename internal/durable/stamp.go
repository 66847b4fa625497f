package durable

// Stamp says which file is at a name, and of which moment its content is. Two equal
// stamps are of the same bytes, unless the file was changed twice within the
// granularity of the file system's clock: a stamp is worth nothing before its Changed
// is some time ago.
type Stamp struct {
	Device, Inode     uint64
	Size              int64 // bytes
	Modified, Changed int64 // nanoseconds since 1970; nobody can set the second
}
