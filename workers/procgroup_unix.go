//go:build unix

package workers

import (
	"errors"
	"os/exec"
	"syscall"
)

// ownGroup starts the command in a process group of its own.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// killGroup ends the command and everything it started that stayed in its
// group. Agents are often a wrapper around the real program, and killing the
// wrapper alone would leave that running.
func killGroup(cmd *exec.Cmd) error {
	err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		return nil // all gone already
	}
	return err
}
