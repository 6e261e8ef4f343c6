package replies

import "bytes"

// fenceState says what a scan for fences ended with.
type fenceState int

const (
	fenceNone   fenceState = iota // no block marked json
	fenceClosed                   // one was found, and every block was closed
	fenceOpen                     // the last block, of whatever kind, was not closed
)

// lastJSONFence returns the content of the last block marked json. It reads
// fences as CommonMark does (https://spec.commonmark.org/0.31.2/#fenced-code-blocks):
// three or more backticks or tildes, up to three spaces before, closed by at
// least as many of the same and nothing behind. It looks at each line once.
func lastJSONFence(text []byte) (content []byte, state fenceState) {
	var open fence
	var start int // of the open block's content
	for pos := 0; pos < len(text); {
		line, next := cutLine(text, pos)
		switch {
		case open.length == 0:
			open = openingFence(line)
			start = next
		case open.closedBy(line):
			if open.json {
				content, state = unindent(text[start:pos], open.indent), fenceClosed
			}
			open = fence{}
		}
		pos = next
	}
	if open.length > 0 {
		return nil, fenceOpen
	}
	return content, state
}

// cutLine returns the line at pos without its end, and where the next begins.
// A line ends at LF, CR LF or a lone CR.
func cutLine(text []byte, pos int) (line []byte, next int) {
	rest := text[pos:]
	i := bytes.IndexAny(rest, "\r\n")
	if i < 0 {
		return rest, len(text)
	}
	next = pos + i + 1
	if rest[i] == '\r' && i+1 < len(rest) && rest[i+1] == '\n' {
		next++
	}
	return rest[:i], next
}

// fence is an opening line; length 0 means that there is none.
type fence struct {
	char   byte
	length int
	indent int
	json   bool // the info string's first word is json
}

func openingFence(line []byte) fence {
	indent := leading(line, ' ')
	line = line[indent:]
	if indent > 3 || len(line) == 0 || (line[0] != '`' && line[0] != '~') {
		return fence{}
	}
	f := fence{char: line[0], length: leading(line, line[0]), indent: indent}
	info := bytes.Trim(line[f.length:], " \t")
	if f.length < 3 || (f.char == '`' && bytes.IndexByte(info, '`') >= 0) {
		return fence{}
	}
	if i := bytes.IndexAny(info, " \t"); i >= 0 {
		info = info[:i]
	}
	f.json = bytes.EqualFold(info, []byte("json"))
	return f
}

func (f fence) closedBy(line []byte) bool {
	indent := leading(line, ' ')
	line = line[indent:]
	n := leading(line, f.char)
	return indent <= 3 && n >= f.length && len(bytes.Trim(line[n:], " \t")) == 0
}

// leading counts how many c the line starts with.
func leading(line []byte, c byte) int {
	n := 0
	for n < len(line) && line[n] == c {
		n++
	}
	return n
}

// unindent takes up to n spaces from the start of each line, as the opening
// fence was indented by that many.
func unindent(block []byte, n int) []byte {
	if n == 0 {
		return block
	}
	var out []byte
	for line := range bytes.Lines(block) {
		out = append(out, line[min(n, leading(line, ' ')):]...)
	}
	return out
}
