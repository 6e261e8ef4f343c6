package phases

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"bughunter/artifacts"
	"bughunter/scope"
)

// Tree is the repository as the cross-checks read it. A file is read once and
// kept until [Tree.Forget]. It may be used by several goroutines.
type Tree struct {
	Root string // absolute, without symbolic links

	mu    sync.Mutex
	files map[string]*Source
	held  int // bytes read into files, at least
}

// NewTree returns the tree below a root that [scope.Root] has resolved.
func NewTree(root string) *Tree {
	return &Tree{Root: root, files: map[string]*Source{}}
}

// maxSource is the size in bytes above which a file is not read to check a
// claim about it.
const maxSource = 16 << 20

// maxHeld is how many bytes of files are kept at once. The files of a chunk are
// forgotten after it, but a worker may refer to any other, and to all of them.
const maxHeld = 4 * maxSource

// Exists tells, by a nil error, that a path names something inside the root.
func (t *Tree) Exists(file string) error {
	if filepath.IsAbs(file) || strings.Contains(file, `\`) {
		return fmt.Errorf("%q is not a path relative to the root with forward slashes", file)
	}
	_, err := scope.Inside(t.Root, file)
	return err
}

// InScope tells that a file exists and is among those that were assigned.
func (t *Tree) InScope(file string, assigned []string) error {
	if err := t.Exists(file); err != nil {
		return err
	}
	if !slices.Contains(assigned, file) {
		return fmt.Errorf("%q is not a file of the assignment; a finding belongs to one of its files, and others go to crossReferences", file)
	}
	return nil
}

// Source reads a file of the tree.
func (t *Tree) Source(file string) (*Source, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if src := t.files[file]; src != nil {
		return src, nil
	}
	data, err := t.Raw(file)
	if err != nil {
		return nil, err
	}
	if t.held += len(data); t.held > maxHeld {
		clear(t.files)
		t.held = len(data)
	}
	src := newSource(data)
	t.files[file] = src
	return src, nil
}

// Raw reads the bytes of a file of the tree.
func (t *Tree) Raw(file string) ([]byte, error) {
	if err := t.Exists(file); err != nil {
		return nil, err
	}
	full := filepath.Join(t.Root, filepath.FromSlash(file))
	info, err := os.Stat(full)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxSource {
		return nil, fmt.Errorf("%q is not a regular file of at most %d MiB", file, maxSource>>20)
	}
	return os.ReadFile(full)
}

// Forget drops what was read of files that are no longer looked at.
func (t *Tree) Forget(files []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, f := range files {
		delete(t.files, f)
	}
}

// Source is the text of a file, prepared for finding quotations in it.
type Source struct {
	lines  []string
	folded string // the tokens between white space, one space between any two
	starts []int  // where in folded each line begins
}

func newSource(data []byte) *Source {
	s := &Source{lines: strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")}
	if last := len(s.lines) - 1; s.lines[last] == "" {
		s.lines = s.lines[:last] // the file ends with a newline, not with an empty line
	}
	var b strings.Builder
	for _, line := range s.lines {
		s.starts = append(s.starts, b.Len())
		for word := range strings.FieldsSeq(line) {
			b.WriteString(word)
			b.WriteByte(' ')
		}
	}
	s.folded = b.String()
	return s
}

// Lines parses the lines of a finding and checks that the file has them.
func (s *Source) Lines(lines string) ([]artifacts.LineRange, error) {
	ranges, err := artifacts.ParseLines(lines)
	if err != nil {
		return nil, err
	}
	for _, r := range ranges {
		if r.Last > len(s.lines) {
			return nil, fmt.Errorf("lines %s are not in the file, which has %d", r, len(s.lines))
		}
	}
	return ranges, nil
}

// Code is the text of some lines with white space folded.
func (s *Source) Code(ranges []artifacts.LineRange) string {
	var b strings.Builder
	for _, r := range ranges {
		b.WriteString(s.folded[s.starts[r.First-1]:s.endOf(r.Last)])
	}
	return b.String()
}

func (s *Source) endOf(line int) int {
	if line < len(s.starts) {
		return s.starts[line]
	}
	return len(s.folded)
}

// lineAt is the 1-based line to which a byte of the folded text belongs.
func (s *Source) lineAt(pos int) int {
	// It is the last line that begins at or before pos: empty lines share
	// their start with the next line that has text.
	i, _ := slices.BinarySearch(s.starts, pos+1)
	return i
}
