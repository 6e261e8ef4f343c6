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

// Left is a file, or a folder with all that is in it, that is left out.
type Left struct {
	Path   string
	Reason string // the same words for the same reason, so that they can be counted
}

// Unreadable is a file or folder that should be hunted and cannot be read.
type Unreadable struct {
	Path string
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
		return "", fmt.Errorf("the root cannot be used: %w", err)
	}
	info, err := os.Stat(real)
	if err != nil {
		return "", fmt.Errorf("the root cannot be used: %w", err)
	}
	if !info.IsDir() {
		return "", fmt.Errorf("the root %s is not a folder", dir)
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
		return "", err
	}
	rel, err := filepath.Rel(root, real)
	if err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("%s is outside the root %s", name, root)
	}
	return filepath.ToSlash(rel), nil
}

// Walk lists what is below the given paths, which are relative to root or
// absolute; none means the whole root. The state folder and .git are passed
// over as if they were not there.
func Walk(root string, paths []string, stateDir string) (*Scope, error) {
	w := &walker{root: root, stateDir: stateDir, seen: map[string]bool{}}
	if len(paths) == 0 {
		paths = []string{"."}
	}
	w.ignored = gitIgnored(root)
	for _, p := range paths {
		rel, err := Inside(root, p)
		if err != nil {
			return nil, err
		}
		if err := w.walk(rel); err != nil {
			return nil, err
		}
	}
	s := &w.found
	slices.SortFunc(s.Files, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	slices.SortFunc(s.LeftOut, func(a, b Left) int { return cmp.Compare(a.Path, b.Path) })
	slices.SortFunc(s.Unreadable, func(a, b Unreadable) int { return cmp.Compare(a.Path, b.Path) })
	return s, nil
}

type walker struct {
	root     string
	stateDir string // absolute
	ignored  map[string]bool
	seen     map[string]bool
	found    Scope
}

func (w *walker) walk(start string) error {
	return filepath.WalkDir(filepath.Join(w.root, filepath.FromSlash(start)), func(full string, d fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(w.root, full)
		if relErr != nil {
			return relErr
		}
		rel = filepath.ToSlash(rel)
		if w.seen[rel] && !d.IsDir() {
			return nil
		}
		w.seen[rel] = true
		if err != nil {
			w.found.Unreadable = append(w.found.Unreadable, Unreadable{rel, err})
			return nil
		}
		if d.IsDir() {
			return w.folder(full, rel)
		}
		w.file(full, rel, d)
		return nil
	})
}

func (w *walker) folder(full, rel string) error {
	switch name := path.Base(rel); {
	case full == w.stateDir || name == ".git" || name == ".bug-hunter":
		return filepath.SkipDir
	case name == "vendor" || name == "node_modules" || name == "third_party":
		w.leave(rel+"/", Vendored)
		return filepath.SkipDir
	case w.ignored[rel+"/"]:
		w.leave(rel+"/", GitIgnored)
		return filepath.SkipDir
	}
	return nil
}

func (w *walker) leave(rel, reason string) {
	w.found.LeftOut = append(w.found.LeftOut, Left{rel, reason})
}

func (w *walker) file(full, rel string, d fs.DirEntry) {
	language := Language(rel)
	switch {
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
// watching files is not run.
func gitIgnored(root string) map[string]bool {
	cmd := exec.Command("git", "-c", "core.fsmonitor=false", "ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z")
	cmd.Dir = root
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

// Hash is the hash that [Walk] gives to a file with its present content.
func Hash(root, file string) (string, error) {
	data, err := readUpTo(filepath.Join(root, filepath.FromSlash(file)), maxFileSize)
	if err != nil {
		return "", err
	}
	return hash(data), nil
}
