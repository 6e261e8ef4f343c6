package artifacts

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// The events of a run, in the order in which they come.
const (
	RunStart         = "run-start"
	PhaseStart       = "phase-start"
	AttemptStart     = "attempt-start"
	AttemptEnd       = "attempt-end"
	ValidationFailed = "validation-failed"
	RetryBackoff     = "retry-backoff"
	PhaseEnd         = "phase-end"
	PhaseFailed      = "phase-failed"
	RunEnd           = "run-end"
)

// Event is one line of the journal.
type Event struct {
	Time     time.Time `json:"time"`
	Event    string    `json:"event"`
	Phase    string    `json:"phase,omitempty"`
	Chunk    string    `json:"chunk,omitempty"`
	Attempt  int       `json:"attempt,omitempty"`
	Worker   string    `json:"worker,omitempty"`
	Failure  string    `json:"failure,omitempty"` // the kind, see package replies
	Message  string    `json:"message,omitempty"`
	Problems []string  `json:"problems,omitempty"`
	Notes    []string  `json:"notes,omitempty"`    // what the pipeline put right by itself
	Rejected string    `json:"rejected,omitempty"` // the file in which a rejected reply is kept
	Source   string    `json:"source,omitempty"`   // where in the reply the answer stood
	Items    *int      `json:"items,omitempty"`    // how many findings, answers or verdicts
	WaitMS   int64     `json:"waitMs,omitempty"`
	TookMS   int64     `json:"tookMs,omitempty"`
}

// Journal appends events to a file, one JSON object a line, and tells a
// listener of each. It may be used by several goroutines.
type Journal struct {
	mu     sync.Mutex
	w      io.WriteCloser
	listen func(Event)
	now    func() time.Time
}

// OpenJournal opens the journal, a regular file and no link to one, for
// appending, and makes it if it is not there. The listener may be nil. A last
// line that a dying process left without its end is closed first, so that it
// cannot swallow the next event.
func OpenJournal(path string, listen func(Event)) (*Journal, error) {
	if err := mkdir(filepath.Dir(path)); err != nil {
		return nil, err
	}
	if err := refuseLink(path); err != nil {
		return nil, err
	}
	torn, err := endsInMidLine(path)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	if torn {
		if _, err := f.WriteString("\n"); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	return &Journal{w: f, listen: listen, now: time.Now}, nil
}

func endsInMidLine(path string) (bool, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil || size == 0 {
		return false, err
	}
	var last [1]byte
	_, err = f.ReadAt(last[:], size-1)
	return last[0] != '\n', err
}

// Log writes an event with the present time.
func (j *Journal) Log(e Event) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	e.Time = j.now().UTC()
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if j.listen != nil {
		j.listen(e)
	}
	_, err = j.w.Write(append(line, '\n'))
	return err
}

// Close closes the file.
func (j *Journal) Close() error { return j.w.Close() }
