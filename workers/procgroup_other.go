//go:build !unix

package workers

import (
	"os/exec"
	"strconv"
)

// ownGroup has nothing to do: killGroup follows the tree of processes.
func ownGroup(*exec.Cmd) {}

// killGroup ends the command and its descendants.
func killGroup(cmd *exec.Cmd) error {
	if cmd.ProcessState != nil {
		return nil // it has ended, and its number may belong to another by now
	}
	if err := exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run(); err != nil {
		return cmd.Process.Kill()
	}
	return nil
}
