package artifacts

import (
	"encoding/json"
	"fmt"
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
func Lock(dir string) (release func() error, err error) {
	if err := mkdir(dir); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "lock")
	lock := flock.New(path)
	ok, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("locking %s: %w", dir, err)
	}
	if !ok {
		return nil, &LockedError{dir, readOwner(path)}
	}
	host, _ := os.Hostname() // only shown to people; an empty name is shown as that
	owner, err := json.Marshal(Owner{os.Getpid(), host, time.Now().UTC().Truncate(time.Second)})
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(path, append(owner, '\n'), 0o644); err != nil {
		return nil, fmt.Errorf("locking %s: %w", dir, err)
	}
	return lock.Unlock, nil
}

func readOwner(path string) (o Owner) {
	data, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(data, &o) != nil {
		return Owner{}
	}
	return o
}
