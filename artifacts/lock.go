package artifacts

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// Owner says who holds a state folder.
type Owner struct {
	PID   int       `json:"pid"`
	Host  string    `json:"host"`
	Start time.Time `json:"start"`
}

// LockedError is returned when another process is at work in the state folder.
type LockedError struct {
	Dir   string
	Owner Owner // zero if the owner could not be read
}

func (e *LockedError) Error() string {
	if e.Owner.PID == 0 {
		return fmt.Sprintf("%s is in use by another bughunter; wait for it to end", e.Dir)
	}
	return fmt.Sprintf("%s is in use by process %d on %s since %s; wait for it to end, or stop it and run again",
		e.Dir, e.Owner.PID, e.Owner.Host, e.Owner.Start.Format(time.RFC3339))
}

// Lock takes a state folder for this process until release is called or the
// process ends: the operating system drops a dead owner's lock, so there is
// nothing to clean up by hand. The error is a [*LockedError] if somebody else
// has it.
//
// The file lock names the owner. What is locked is another file, lock.held,
// since on some systems nobody can read or write a file that is.
func Lock(dir string) (release func() error, err error) {
	if err := refuseLinks(dir); err != nil {
		return nil, err
	}
	if err := mkdir(dir); err != nil {
		return nil, err
	}
	if err := keepFromGit(dir); err != nil {
		return nil, fmt.Errorf("locking %s: %w", dir, err)
	}
	names := filepath.Join(dir, "lock")
	held := filepath.Join(dir, "lock.held")
	if err := errors.Join(refuseLink(names), refuseLink(held)); err != nil {
		return nil, fmt.Errorf("locking %s: %w", dir, err)
	}
	lock := flock.New(held)
	ok, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("locking %s: %w", dir, err)
	}
	if !ok {
		return nil, &LockedError{dir, readOwner(names)}
	}
	host, _ := os.Hostname() // only shown to people; an empty name is shown as that
	owner, err := json.Marshal(Owner{os.Getpid(), host, time.Now().UTC().Truncate(time.Second)})
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(names, append(owner, '\n'), 0o644); err != nil {
		return nil, errors.Join(fmt.Errorf("locking %s: %w", dir, err), lock.Unlock())
	}
	// Nobody is writing here now, so what looks half written is.
	if err := removeTemps(dir); err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	return lock.Unlock, nil
}

// keepFromGit has git ignore a state folder, unless somebody decided otherwise:
// it is nobody's to commit by accident.
func keepFromGit(dir string) error {
	path := filepath.Join(dir, ".gitignore")
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	return os.WriteFile(path, []byte("*\n"), 0o644)
}

// Busy tells whether another process holds a state folder, and who it is.
func Busy(dir string) (Owner, bool) {
	held := filepath.Join(dir, "lock.held")
	if _, err := os.Lstat(held); err != nil {
		return Owner{}, false
	}
	lock := flock.New(held)
	if free, err := lock.TryRLock(); err != nil || free {
		_ = lock.Unlock() // of a lock that nobody waits for
		return Owner{}, false
	}
	return readOwner(filepath.Join(dir, "lock")), true
}

// refuseLinks refuses a state folder that is a link, and links where folders
// belong in it: a hostile repository may have brought them, to have this
// program write and delete somewhere else. Links in the place of artifacts do
// no harm, since those are replaced and not written through.
func refuseLinks(dir string) error {
	suspects := []string{dir}
	for _, name := range []string{"chunks", "attempts", "rejected"} {
		folder := filepath.Join(dir, name)
		suspects = append(suspects, folder)
		entries, err := os.ReadDir(folder)
		if err != nil {
			continue // it is not there, or making it will tell what is wrong
		}
		for _, e := range entries {
			suspects = append(suspects, filepath.Join(folder, e.Name()))
		}
	}
	for _, path := range suspects {
		info, err := os.Lstat(path)
		if err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return fmt.Errorf("%s is a symbolic link; remove it, or keep the state elsewhere with --state-dir", path)
		}
	}
	return nil
}

// refuseLink refuses what is there and is no regular file. The state folder may
// have come with a hostile repository, and a link in it would have this
// program write into a file somewhere else.
func refuseLink(path string) error {
	info, err := os.Lstat(path)
	if err != nil || info.Mode().IsRegular() {
		return nil // what is wrong with a path that cannot be looked at, opening it will tell
	}
	return fmt.Errorf("%s is not a regular file; remove it and run again", path)
}

func readOwner(path string) (o Owner) {
	data, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(data, &o) != nil {
		return Owner{}
	}
	return o
}
