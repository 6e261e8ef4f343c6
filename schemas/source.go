package schemas

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"
)

// errOverLimit is what a source gives its reader in place of more text than
// the limit allows.
var errOverLimit = errors.New("over the limit")

// A source reads firstRead bytes at once, then more and more up to readAhead,
// which is also about how much of the text behind the reader it keeps.
const (
	firstRead = 4 << 10
	readAhead = 64 << 10
)

// source hands out the text of r up to a limit that may be raised on the way.
// It keeps a short piece of it, to say in which line an offset is.
type source struct {
	r     io.Reader
	limit int64 // how many bytes may be handed out in all
	over  bool  // more were asked for, and there may be more
	err   error // why r gives no more; io.EOF at its end
	ask   int   // how many bytes to read next

	buf          []byte // the text from offset base on
	base         int64
	next         int // buf[next:] is not handed out yet
	line, column int // of the byte at base
}

func newSource(r io.Reader) *source {
	return &source{r: r, ask: firstRead, line: 1, column: 1}
}

func (s *source) Read(p []byte) (int, error) {
	room := s.limit - s.base - int64(s.next)
	if room <= 0 {
		s.over = true
		return 0, errOverLimit
	}
	if s.next == len(s.buf) {
		if err := s.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(p[:min(int64(len(p)), room)], s.buf[s.next:])
	s.next += n
	return n, nil
}

// fill appends to buf at least one byte, or returns why it cannot.
func (s *source) fill() error {
	for range 100 {
		if s.err != nil {
			return s.err
		}
		have := len(s.buf)
		s.buf = append(s.buf, make([]byte, s.ask)...)
		s.ask = min(2*s.ask, readAhead)
		n, err := s.r.Read(s.buf[have:])
		s.buf, s.err = s.buf[:have+n], err
		if n > 0 {
			return nil
		}
	}
	s.err = io.ErrNoProgress
	return s.err
}

// failure is the reader's own error, if it had one.
func (s *source) failure() error {
	if s.err == io.EOF {
		return nil
	}
	return s.err
}

// peek returns the first n bytes, or as many as there are, and hands out none.
func (s *source) peek(n int) ([]byte, error) {
	for len(s.buf) < n {
		if err := s.fill(); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
	}
	return s.buf[:min(n, len(s.buf))], nil
}

// forget lets go of the text before the offset, of which no more places will
// be asked for.
func (s *source) forget(offset int64) {
	n := int(offset - s.base)
	if n < readAhead {
		return
	}
	s.line, s.column = s.position(offset)
	s.buf = s.buf[:copy(s.buf, s.buf[n:])]
	s.base, s.next = offset, s.next-n
}

// position says in which line the offset is, and at which character of it.
// Both count from 1.
func (s *source) position(offset int64) (line, column int) {
	before := s.buf[:min(max(offset-s.base, 0), int64(len(s.buf)))]
	line, column = s.line, s.column
	if last := bytes.LastIndexByte(before, '\n'); last >= 0 {
		line, column = line+bytes.Count(before, []byte{'\n'}), 1
		before = before[last+1:]
	}
	return line, column + utf8.RuneCount(before)
}
