package artifacts

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"

	"bughunter/schemas"
)

// StateDir is the name of the folder in which a repository's state is kept.
const StateDir = ".bug-hunter"

// Store keeps artifacts as JSON files in one folder. Nothing goes in or comes
// out that its schema does not accept.
type Store struct {
	dir   string
	valid *memory
}

// NewStore returns the store in the folder dir, which need not exist yet.
func NewStore(dir string, v schemas.Validator) *Store {
	return &Store{dir, &memory{schemas: v, seen: map[[sha256.Size]byte]bool{}}}
}

// Sub returns the store in a folder below, such as chunks/chunk-1.
func (s *Store) Sub(elem ...string) *Store {
	return &Store{filepath.Join(append([]string{s.dir}, elem...)...), s.valid}
}

// Dir is the folder of the store.
func (s *Store) Dir() string { return s.dir }

// Path is the file in which an artifact is kept.
func (s *Store) Path(artifact string) string {
	return filepath.Join(s.dir, artifact+".json")
}

// Write validates v against the schema of the artifact and puts it in the
// store. After a failure the file is what it was before.
func (s *Store) Write(artifact string, v any) error {
	return s.WriteTo(s.Path(artifact), artifact, v)
}

// WriteTo is [Store.Write] into a file of any name.
func (s *Store) WriteTo(path, artifact string, v any) error {
	data, err := Encode(v)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := s.valid.check(artifact, data); err != nil {
		return fmt.Errorf("refusing to write %s: %w", path, err)
	}
	return WriteFile(path, data)
}

// Read fills v, a pointer, with the artifact. The error wraps [fs.ErrNotExist]
// if there is none, and is a [*FileError] if there is something that cannot be
// used.
func (s *Store) Read(artifact string, v any) error {
	return s.ReadFrom(s.Path(artifact), artifact, v)
}

// ReadFrom is [Store.Read] from a file of any name.
func (s *Store) ReadFrom(path, artifact string, v any) error {
	data, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err != nil {
		return &FileError{path, artifact, &unreadableError{err}}
	}
	if err := s.valid.check(artifact, data); err != nil {
		return &FileError{path, artifact, err}
	}
	if err := json.Unmarshal(data, v); err != nil {
		return &FileError{path, artifact, err}
	}
	return nil
}

// memory validates documents and remembers those that were valid, by their
// hash: a chunk's artifacts are read back when they are merged, byte for byte
// as they were written, and validating them costs far more than hashing.
type memory struct {
	schemas schemas.Validator

	mu   sync.Mutex
	seen map[[sha256.Size]byte]bool
}

// maxRemembered bounds the memory to a few megabytes; when it is full it
// starts anew.
const maxRemembered = 1 << 16

func (m *memory) check(artifact string, data []byte) error {
	hash := sha256.New()
	fmt.Fprintf(hash, "%s\n", artifact)
	hash.Write(data)
	key := [sha256.Size]byte(hash.Sum(nil))
	m.mu.Lock()
	known := m.seen[key]
	m.mu.Unlock()
	if known {
		return nil
	}
	if err := m.schemas.Validate(artifact, bytes.NewReader(data)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.seen) >= maxRemembered {
		clear(m.seen)
	}
	m.seen[key] = true
	return nil
}

// readFile reads a regular file, and not a device that a link in a hostile
// repository points to.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	return os.ReadFile(path)
}

// unreadableError is about a file of which no text was got.
type unreadableError struct{ err error }

func (e *unreadableError) Unwrap() error { return e.err }

// Error leaves out the path that the operating system's errors repeat.
func (e *unreadableError) Error() string {
	cause := e.err
	var path *fs.PathError
	if errors.As(cause, &path) {
		cause = path.Err
	}
	return fmt.Sprintf("it cannot be read: %v", cause)
}

// Has tells whether there is a file for the artifact, good or bad.
func (s *Store) Has(artifact string) bool {
	_, err := os.Lstat(s.Path(artifact))
	return err == nil
}

// Remove takes an artifact out of the store. That there is none is no error.
func (s *Store) Remove(artifact string) error {
	err := os.Remove(s.Path(artifact))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// FileError is about an artifact that is there and cannot be used. Err is one
// of the error types of package schemas, or says why the file cannot be read.
type FileError struct {
	Path     string
	Artifact string
	Err      error
}

func (e *FileError) Unwrap() error { return e.Err }

func (e *FileError) Error() string {
	return fmt.Sprintf("%s: %v; %s", e.Path, e.Err, e.remedy())
}

func (e *FileError) remedy() string {
	var malformed *schemas.MalformedError
	var version *schemas.VersionError
	var unreadable *unreadableError
	switch {
	case errors.As(e.Err, &unreadable):
		return "put a file there that you may read, or take away what is there and run again"
	case errors.As(e.Err, &version):
		return "use the bughunter that wrote it, or a newer one"
	case errors.As(e.Err, &malformed):
		return "restore the file from a copy, or delete it and run again"
	}
	return fmt.Sprintf("correct the file (`bughunter validate %s %s` lists its problems), or delete it and run again", e.Artifact, e.Path)
}

// Encode gives the bytes in which an artifact is stored: indented JSON that
// leaves <, > and & as they are, since it is read by people as well.
func Encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// WriteFile replaces the file as a whole or not at all, whatever happens on
// the way: it writes a temporary file in the same folder, checks its size,
// flushes it to the disk, renames it and flushes the folder. The folder is
// made if it is not there.
func WriteFile(path string, data []byte) error {
	if err := replace(path, data); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

func replace(path string, data []byte) (err error) {
	dir := filepath.Dir(path)
	if err := mkdir(dir); err != nil {
		return err
	}
	name := filepath.Join(dir, tempPrefix+strconv.FormatUint(rand.Uint64(), 36))
	tmp, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			tmp.Close()
			os.Remove(tmp.Name())
		}
	}()
	if err := fill(tmp, data); err != nil {
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return err
	}
	return syncDir(dir)
}

// tempPrefix marks files that a dead process may leave behind.
const tempPrefix = ".tmp-"

func fill(f *os.File, data []byte) error {
	if _, err := f.Write(data); err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() != int64(len(data)) {
		return fmt.Errorf("%d bytes arrived of %d", info.Size(), len(data))
	}
	return f.Sync()
}

// mkdir makes a folder durable together with the ones above it that were
// missing, so that a file flushed into it cannot vanish with the folder.
func mkdir(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := mkdir(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncDir(parent)
}

func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // a folder cannot be flushed there; renames are journaled
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	return errors.Join(err, d.Close())
}

// removeTemps deletes what dead writers left in a folder.
func removeTemps(dir string) error {
	left, err := filepath.Glob(filepath.Join(dir, tempPrefix+"*"))
	for _, path := range left {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}
