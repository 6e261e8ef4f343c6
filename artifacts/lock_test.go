package artifacts

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestOneProcessAtATimeHoldsAStateFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", StateDir)
	before := time.Now().Add(-time.Second)
	owner, stop := holder(t, dir)

	_, err := Lock(dir)
	var locked *LockedError
	if !errors.As(err, &locked) {
		t.Fatalf("the error is %v", err)
	}
	host, hostErr := os.Hostname()
	if hostErr != nil {
		t.Fatal(hostErr)
	}
	if locked.Owner.PID != owner.Process.Pid || locked.Owner.Host != host || locked.Owner.Start.Before(before) || locked.Owner.Start.After(time.Now()) {
		t.Errorf("the owner is %+v", locked.Owner)
	}
	want := fmt.Sprintf("%s is in use by process %d on %s since %s; wait for it to end, or stop it and run again",
		dir, owner.Process.Pid, host, locked.Owner.Start.Format(time.RFC3339))
	if err.Error() != want {
		t.Errorf("the error is %q, want %q", err, want)
	}

	if err := errors.Join(stop.Close(), owner.Wait()); err != nil {
		t.Fatal(err)
	}
	wantFree(t, dir)
}

func TestTheLockOfAKilledOwnerIsFree(t *testing.T) {
	dir := t.TempDir()
	owner, _ := holder(t, dir)
	if _, err := Lock(dir); err == nil {
		t.Fatal("the lock was free while its owner lived")
	}
	if err := owner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := owner.Wait(); err == nil {
		t.Fatal("the owner was not killed")
	}
	wantFree(t, dir)
}

// wantFree takes the lock, sees that it now names this process, and gives it
// back.
func wantFree(t *testing.T, dir string) {
	t.Helper()
	release, err := Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	var locked *LockedError
	if _, err := Lock(dir); !errors.As(err, &locked) || locked.Owner.PID != os.Getpid() {
		t.Errorf("while this process holds it: %v", err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
}

func TestALockThatNamesNobodyStillHolds(t *testing.T) {
	dir := t.TempDir()
	release, err := Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "lock"), []byte(`{"pid":`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(dir); err == nil || !strings.Contains(err.Error(), "is in use by another bughunter; wait for it to end") {
		t.Errorf("the error is %v", err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
}

func TestAStateFolderThatIsAFileIsNamed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), StateDir)
	if err := os.WriteFile(dir, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(dir); err == nil || !strings.Contains(err.Error(), "locking "+dir) {
		t.Errorf("the error is %v", err)
	}
}

// A hostile repository may bring a state folder. What is a link in it where a
// folder belongs would have this program write and delete somewhere else.
func TestLinkedFoldersInTheStateAreRefused(t *testing.T) {
	for _, linked := range []string{".", "chunks", "attempts", "rejected", "chunks/chunk-1"} {
		t.Run(linked, func(t *testing.T) {
			elsewhere := t.TempDir()
			dir := filepath.Join(t.TempDir(), StateDir)
			link := filepath.Join(dir, filepath.FromSlash(linked))
			if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(elsewhere, link); err != nil {
				t.Fatal(err)
			}
			if _, err := Lock(dir); err == nil || !strings.Contains(err.Error(), "is a symbolic link; remove it") {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

func TestBusyTellsWhoHoldsAFolder(t *testing.T) {
	dir := t.TempDir()
	if _, busy := Busy(dir); busy {
		t.Error("a folder that nobody ever locked is busy")
	}
	release, err := Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	if owner, busy := Busy(dir); !busy || owner.PID != os.Getpid() {
		t.Errorf("a locked folder: busy %v by %+v", busy, owner)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if _, busy := Busy(dir); busy {
		t.Error("a folder that was released is busy")
	}
}
