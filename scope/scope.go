// Package scope says which files of a repository are hunted: it lists them,
// tells source from the rest, and names the reason for each file that is left
// out. It knows nothing of workers or state.
//
// The rule it serves is that nothing is dropped in silence. Every path below
// the root ends up in exactly one of three lists: to be hunted, left out for
// a reason that is counted and shown, or unreadable, which is a failure.
package scope

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// maxFileSize is the size in bytes above which a file is not taken for source
// that somebody wrote.
const maxFileSize = 1 << 20

// File is a source file to be hunted.
type File struct {
	Path     string // relative to the root, forward slashes
	Language string
	Hash     string // sha256: and the hexadecimal digest of the content
}

// Left is a file, or a folder with all that is in it, that is left out. The
// path of a folder ends in a slash.
type Left struct {
	Path   string // where it is not UTF-8, with each bad byte as \xff
	Reason string // the same words for the same reason, so that they can be counted
}

// Unreadable is a file or folder that should be hunted and cannot be read.
type Unreadable struct {
	Path string // where it is not UTF-8, with each bad byte as \xff
	Err  error
}

// Scope is what was found below a root, each list sorted by path.
type Scope struct {
	Files      []File
	LeftOut    []Left
	Unreadable []Unreadable
}

// The reasons for leaving a file out.
const (
	NotSource  = "not source code of a known language"
	TooLarge   = "larger than 1 MiB"
	Binary     = "binary content"
	Symlink    = "symbolic link; what it points to is hunted where it stands, if that is inside the root"
	Irregular  = "not a regular file"
	TestCode   = "test code; read as context only"
	Generated  = "generated code; the bug would be in the generator"
	Vendored   = "third-party code kept in the tree"
	GitIgnored = "ignored by git"
)

// Root resolves the folder whose files are hunted to an absolute path without
// symbolic links.
func Root(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", fmt.Errorf("the root cannot be used: %s: %w", dir, err)
	}
	info, err := os.Stat(real)
	if err != nil {
		return "", fmt.Errorf("the root cannot be used: %s: %w", dir, err)
	}
	if !info.IsDir() {
		return "", fmt.Errorf("the root %s is not a folder; name one with -C", dir)
	}
	return real, nil
}

// Inside resolves a path, relative to the root or absolute, to one relative to
// the root with forward slashes. It follows symbolic links, and refuses what
// is not there or leads out of the root.
func Inside(root, name string) (string, error) {
	full := name
	if !filepath.IsAbs(full) {
		full = filepath.Join(root, filepath.FromSlash(name))
	}
	real, err := filepath.EvalSymlinks(full)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s does not exist below %s", name, root)
	}
	if err != nil {
		return "", fmt.Errorf("%s cannot be found below %s: %w", name, root, err)
	}
	rel, err := filepath.Rel(root, real)
	if err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("%s is outside the root %s; name a path below it, or another root with -C", name, root)
	}
	return filepath.ToSlash(rel), nil
}

// Walk lists what is below the given paths, which are relative to root or
// absolute; none means the whole root. The paths choose from what the whole
// root gives and change nothing else: a file of a folder that is left out is
// left out with it, even if it is named. The state folder and .git are passed
// over as if they were not there.
func Walk(root string, paths []string, stateDir string) (*Scope, error) {
	starts, err := outermost(root, paths)
	if err != nil {
		return nil, err
	}
	w := &walker{root: root, stateDir: stateDir, ignored: gitIgnored(root), left: map[string]bool{}}
	for _, start := range starts {
		if err := w.walk(start); err != nil {
			return nil, err
		}
	}
	s := &w.found
	slices.SortFunc(s.Files, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	slices.SortFunc(s.LeftOut, func(a, b Left) int { return cmp.Compare(a.Path, b.Path) })
	slices.SortFunc(s.Unreadable, func(a, b Unreadable) int { return cmp.Compare(a.Path, b.Path) })
	return s, nil
}

// outermost resolves the paths and drops those inside others, so that nothing
// is found twice.
func outermost(root string, paths []string) ([]string, error) {
	var starts []string
	for _, p := range paths {
		rel, err := Inside(root, p)
		if err != nil {
			return nil, err
		}
		starts = append(starts, rel)
	}
	if len(paths) == 0 || slices.Contains(starts, ".") {
		return []string{"."}, nil
	}
	slices.Sort(starts)
	starts = slices.Compact(starts)
	all := slices.Clone(starts)
	return slices.DeleteFunc(starts, func(s string) bool {
		return slices.ContainsFunc(all, func(other string) bool { return strings.HasPrefix(s, other+"/") })
	}), nil
}

type walker struct {
	root     string
	stateDir string // absolute
	ignored  map[string]bool
	left     map[string]bool // the folders left out, by path
	found    Scope
}

func (w *walker) walk(start string) error {
	if w.belowLeftOut(start) {
		return nil
	}
	return filepath.WalkDir(filepath.Join(w.root, filepath.FromSlash(start)), func(full string, d fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(w.root, full)
		if relErr != nil {
			return relErr
		}
		rel = filepath.ToSlash(rel)
		if err != nil {
			w.found.Unreadable = append(w.found.Unreadable, Unreadable{printable(rel), err})
			return nil
		}
		if d.IsDir() {
			if w.leavesOut(rel) {
				return filepath.SkipDir
			}
			return nil
		}
		w.file(full, rel, d)
		return nil
	})
}

// belowLeftOut leaves out a folder above the path if the walk of the whole root
// would not have gone into it.
func (w *walker) belowLeftOut(rel string) bool {
	for i, c := range rel {
		if c == '/' && w.leavesOut(rel[:i]) {
			return true
		}
	}
	return false
}

// leavesOut tells whether a folder is not to be gone into, and notes it. The
// root is always gone into: who names it means it, though a bigger repository
// around it may ignore it.
func (w *walker) leavesOut(rel string) bool {
	switch name := path.Base(rel); {
	case rel == ".":
		return false
	case filepath.Join(w.root, filepath.FromSlash(rel)) == w.stateDir || name == ".git" || name == ".bug-hunter":
		return true
	case name == "vendor" || name == "node_modules" || name == "third_party":
		w.leaveFolder(rel, Vendored)
		return true
	case w.ignored[rel+"/"]:
		w.leaveFolder(rel, GitIgnored)
		return true
	}
	return false
}

// leaveFolder is called once for each path that is given inside the folder.
func (w *walker) leaveFolder(rel, reason string) {
	if !w.left[rel] {
		w.left[rel] = true
		w.leave(rel+"/", reason)
	}
}

func (w *walker) leave(rel, reason string) {
	w.found.LeftOut = append(w.found.LeftOut, Left{printable(rel), reason})
}

// errBadName is about a name that JSON cannot hold. To write it some other way
// would name another file, or none, so such a file cannot be given to a worker.
var errBadName = errors.New("its name is not UTF-8, so it cannot be hunted; rename it")

// printable is a path in which each byte that is not UTF-8 is written as \xff,
// so that two such names stay two.
func printable(rel string) string {
	if utf8.ValidString(rel) {
		return rel
	}
	var b strings.Builder
	for i := 0; i < len(rel); {
		r, size := utf8.DecodeRuneInString(rel[i:])
		if r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&b, `\x%02x`, rel[i])
		} else {
			b.WriteString(rel[i : i+size])
		}
		i += size
	}
	return b.String()
}

func (w *walker) file(full, rel string, d fs.DirEntry) {
	language := Language(rel)
	switch {
	case path.Base(rel) == ".git": // of a submodule or a worktree
	case w.ignored[rel]:
		w.leave(rel, GitIgnored)
	case d.Type()&fs.ModeSymlink != 0:
		w.leave(rel, Symlink)
	case !d.Type().IsRegular():
		w.leave(rel, Irregular)
	case language == "":
		w.leave(rel, NotSource)
	case isTest(rel):
		w.leave(rel, TestCode)
	case !utf8.ValidString(rel):
		w.found.Unreadable = append(w.found.Unreadable, Unreadable{printable(rel), errBadName})
	default:
		w.source(full, rel, language)
	}
}

// source reads a file once, for its hash and for what only its content tells.
func (w *walker) source(full, rel, language string) {
	data, err := readUpTo(full, maxFileSize)
	switch {
	case errors.Is(err, errTooLarge):
		w.leave(rel, TooLarge)
	case err != nil:
		w.found.Unreadable = append(w.found.Unreadable, Unreadable{rel, err})
	case bytes.IndexByte(data, 0) >= 0:
		w.leave(rel, Binary)
	case isGenerated(data):
		w.leave(rel, Generated)
	default:
		w.found.Files = append(w.found.Files, File{rel, language, hash(data)})
	}
}

var errTooLarge = errors.New("too large")

func readUpTo(name string, limit int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		return nil, errTooLarge
	}
	return data, err
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// gitIgnored asks git which untracked paths below root are ignored; folders
// end in a slash. Without git, or outside a repository, none are. The
// repository may be hostile, so the program that its configuration can name for
// watching files is not run. It is the one that root is in, and not the one
// whose hook may have started this program.
// Its configuration can also have git wait for ever, for a pipe in place of a
// file, so there is a deadline.
func gitIgnored(root string) map[string]bool {
	ctx, cancel := context.WithTimeout(context.Background(), gitDeadline)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", "-c", "core.fsmonitor=false", "ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z")
	cmd.Dir = root
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains([]string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX"}, name)
	})
	out, err := cmd.Output()
	if err != nil {
		return nil
	}
	ignored := map[string]bool{}
	for name := range strings.SplitSeq(string(out), "\x00") {
		ignored[name] = true
	}
	return ignored
}

const gitDeadline = time.Minute

// Hash is the hash that [Walk] gives to a file with its present content.
func Hash(root, file string) (string, error) {
	data, err := readUpTo(filepath.Join(root, filepath.FromSlash(file)), maxFileSize)
	if err != nil {
		return "", err
	}
	return hash(data), nil
}
