package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"syscall"
)

// One look at a name that must be no link, instead of one before and one after:
// reading ten thousand ledgers is for the most part calls of the system.
const (
	quickDir  = syscall.O_RDONLY | syscall.O_DIRECTORY | syscall.O_NOFOLLOW | syscall.O_CLOEXEC
	quickFile = syscall.O_RDONLY | syscall.O_NOFOLLOW | syscall.O_NONBLOCK | syscall.O_CLOEXEC
)

// openBox opens a directory below another, and says nothing of why it could not.
func openBox(parent *os.File, name string) (fd int, ok bool) {
	conn, err := parent.SyscallConn()
	if err != nil {
		return -1, false
	}
	err2 := conn.Control(func(at uintptr) { fd, err = openAt(int(at), name, quickDir) })
	return fd, err == nil && err2 == nil
}

// Read returns the content of a plain file of at most limit bytes, as Dir.Read. It
// may take the room of into, which is then the caller's through the result only.
func (b *Box) Read(name string, limit int64, into []byte) ([]byte, error) {
	if b.dir != nil {
		return b.dir.Read(name, limit)
	}
	if !single(name) {
		return nil, fmt.Errorf("read %q: %w", name, fs.ErrInvalid)
	}
	fd, err := openAt(b.fd, name, quickFile)
	switch {
	case errors.Is(err, syscall.ELOOP):
		return nil, fmt.Errorf("open %q: %w", name, ErrLink)
	case err != nil:
		return nil, fmt.Errorf("open %q: %w", name, err)
	}
	defer syscall.Close(fd)
	var info syscall.Stat_t
	if err := again(func() error { return syscall.Fstat(fd, &info) }); err != nil {
		return nil, fmt.Errorf("read %q: %w", name, err)
	}
	if info.Mode&syscall.S_IFMT != syscall.S_IFREG {
		return nil, fmt.Errorf("open %q: %w", name, ErrNotRegular)
	}
	if info.Size > limit {
		return nil, fmt.Errorf("read %q: %w (%d bytes, and at most %d)", name, ErrTooLarge, info.Size, limit)
	}
	data, err := readAll(fd, info.Size, limit, into)
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", name, err)
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("read %q: %w (%d bytes)", name, ErrTooLarge, limit)
	}
	return data, nil
}

// Close lets go of the directory.
func (b *Box) Close() error {
	if b.dir != nil {
		return b.dir.Close()
	}
	return syscall.Close(b.fd)
}

// readAll reads to the end, or one byte over the limit. size is what is expected:
// a read that brings just that, with room for more, was to the end.
func readAll(fd int, size, limit int64, into []byte) ([]byte, error) {
	data := slices.Grow(into[:0], int(size)+1)
	for int64(len(data)) <= limit {
		if len(data) == cap(data) {
			data = slices.Grow(data, 4096)
		}
		var n int
		err := again(func() (err error) {
			n, err = syscall.Read(fd, data[len(data):cap(data)])
			return err
		})
		if err != nil {
			return nil, err
		}
		data = data[:len(data)+max(n, 0)]
		if n <= 0 || int64(len(data)) == size && n < cap(data) {
			return data, nil
		}
	}
	return data, nil
}

func openAt(dir int, name string, flags int) (fd int, err error) {
	err = again(func() (err error) {
		fd, err = syscall.Openat(dir, name, flags, 0)
		return err
	})
	return fd, err
}

// again repeats a call of the system that a signal broke off.
func again(call func() error) error {
	for {
		if err := call(); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
