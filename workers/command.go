package workers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"bughunter/artifacts"
	"bughunter/replies"
)

// Command is a worker that runs a shell command for each attempt, in the root
// of the repository, with the prompt on its standard input.
//
// The command names what it needs by placeholders, and only what is named is
// written to disk: {assignment}, {prompt} and {schema} are files with those
// contents, {output} is the file in which the answer is expected, and {phase},
// {chunk} and {root} are values. If {output} is not named the answer is what
// the command prints. Everything is quoted for the shell.
type Command struct {
	template string
	pieces   []piece
	env      []string
}

// maxReply is the largest answer, in bytes, that is read from a worker.
const maxReply = 64 << 20

// piece is a part of a template: text for the shell, or a placeholder's name.
type piece struct {
	text        string
	placeholder bool
}

var placeholders = []string{"assignment", "prompt", "output", "schema", "phase", "chunk", "root"}

// NewCommand checks a template and returns its worker. The environment of the
// command is an allow-list of what programs need to run at all, and the
// variables named in env. It refuses an unknown placeholder, one inside
// quotes (it comes quoted), and a command that the shell cannot parse or that,
// seen from the folder root, it cannot find.
func NewCommand(template, root string, env []string) (*Command, error) {
	pieces, err := parseTemplate(template)
	if err != nil {
		return nil, err
	}
	c := &Command{template, pieces, environment(os.Environ(), env)}
	if err := c.findable(root); err != nil {
		return nil, err
	}
	return c, nil
}

// String is the template with [CommandPrefix] in front.
func (c *Command) String() string { return CommandPrefix + c.template }

// CommandPrefix tells commands from workers with a name.
const CommandPrefix = "command: "

func (c *Command) names(placeholder string) bool {
	for _, p := range c.pieces {
		if p.placeholder && p.text == placeholder {
			return true
		}
	}
	return false
}

// Work runs the command once.
func (c *Command) Work(ctx context.Context, job Job) (Result, error) {
	inFile := c.names("output")
	prompt, err := job.Prompt(inFile)
	if err != nil {
		return Result{}, err
	}
	values, err := c.prepare(job, prompt)
	if err != nil {
		return Result{}, err
	}
	out, err := c.run(ctx, job.Assignment.Root, c.expand(values), prompt, inFile)
	if err != nil {
		return Result{}, err
	}
	reply := replies.Raw{InFile: inFile, Text: out}
	if inFile {
		if reply.File, err = readReply(job.Assignment.OutputPath); err != nil {
			return Result{}, err
		}
	}
	return Result{Reply: reply}, nil
}

// prepare writes the files that the template names and returns the value of
// each placeholder.
func (c *Command) prepare(job Job, prompt string) (map[string]string, error) {
	a := job.Assignment
	values := map[string]string{"phase": a.Phase, "chunk": a.Chunk, "root": a.Root, "output": a.OutputPath}
	assignment, err := artifacts.Encode(a)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{"assignment": assignment, "prompt": []byte(prompt), "schema": job.Schema}
	if err := os.MkdirAll(job.Dir, 0o755); err != nil {
		return nil, err
	}
	for name, data := range files {
		if !c.names(name) {
			continue
		}
		values[name] = filepath.Join(job.Dir, fileNames[name])
		if err := os.WriteFile(values[name], data, 0o644); err != nil {
			return nil, err
		}
	}
	return values, nil
}

var fileNames = map[string]string{"assignment": "assignment.json", "prompt": "prompt.md", "schema": "schema.json"}

func (c *Command) expand(values map[string]string) string {
	var b strings.Builder
	for _, p := range c.pieces {
		if p.placeholder {
			b.WriteString(shellQuote(values[p.text]))
		} else {
			b.WriteString(p.text)
		}
	}
	return b.String()
}

// run executes a shell line and returns what it printed. When the answer is
// expected in a file, what is printed is only kept as far as it helps to
// explain a failure.
func (c *Command) run(ctx context.Context, dir, line, prompt string, inFile bool) ([]byte, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.Dir = dir
	cmd.Env = c.env
	cmd.Stdin = strings.NewReader(prompt)
	stdout := &head{limit: maxReply, overflow: func() { cancel(errTooLong) }}
	if inFile {
		stdout = &head{limit: 4 << 10, overflow: func() {}}
	}
	stderr := &tail{limit: 4 << 10}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	ownGroup(cmd)
	cmd.Cancel = func() error { return killGroup(cmd) }
	cmd.WaitDelay = 2 * time.Second // a grandchild may hold the pipes open

	err := cmd.Run()
	// A command may have left something running in the background; it has no
	// business after the attempt.
	if cmd.Process != nil {
		killGroup(cmd)
	}
	if cause := context.Cause(ctx); cause != nil {
		return nil, interrupted(cause)
	}
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return nil, commandFailure(err, stderr.String())
	}
	return stdout.data.Bytes(), nil
}

var errTooLong = errors.New("the worker printed too much")

func interrupted(cause error) error {
	switch {
	case errors.Is(cause, errTooLong):
		return &replies.Failure{Kind: replies.Malformed, Message: fmt.Sprintf("the worker printed more than %d MiB", maxReply>>20)}
	case errors.Is(cause, context.DeadlineExceeded):
		return &replies.Failure{Kind: replies.Timeout, Message: "the worker did not end before its deadline and was killed"}
	}
	return cause
}

// commandFailure explains an exit. The shell's codes for a command that is
// not there or may not be run mean that trying again is pointless.
func commandFailure(err error, stderr string) error {
	f := &replies.Failure{Kind: replies.WorkerFailed, Message: "the worker could not be run: " + err.Error()}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code := exit.ExitCode()
		f.Message = "the worker ended with " + exit.String()
		f.Permanent = code == 126 || code == 127
	} else {
		f.Permanent = true
	}
	if stderr = strings.TrimSpace(stderr); stderr != "" {
		f.Message += ": " + stderr
	}
	return f
}

// readReply reads the output file, nil if there is none. Only a regular file
// within the bound is read: a worker can put anything in its place, so nothing
// that is found there is an error of this machine.
func readReply(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, unusable("cannot be read: %v", err)
	case !info.Mode().IsRegular():
		return nil, unusable("is not a regular file")
	case info.Size() > maxReply:
		return nil, unusable("is larger than %d MiB", maxReply>>20)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, unusable("cannot be read: %v", err)
	}
	return data, nil
}

func unusable(format string, args ...any) error {
	return &replies.Failure{Kind: replies.Malformed, Message: "the worker's output file " + fmt.Sprintf(format, args...)}
}

// allowed are the variables without which programs do not run as people
// expect. Keys and tokens are not among them.
var allowed = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TZ", "LANG", "LANGUAGE", "TMPDIR",
	"XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "NO_COLOR",
	"SystemRoot", "ComSpec", "PATHEXT", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA",
}

// environment picks from the process's variables those allowed and those
// named. It is never nil, which would stand for all of them.
func environment(all, named []string) []string {
	env := []string{}
	for _, kv := range all {
		name, _, _ := strings.Cut(kv, "=")
		if contains(allowed, name) || contains(named, name) || strings.HasPrefix(name, "LC_") {
			env = append(env, kv)
		}
	}
	return env
}

// contains compares as the system does: Windows ignores the case of names.
func contains(names []string, name string) bool {
	for _, n := range names {
		if n == name || runtime.GOOS == "windows" && strings.EqualFold(n, name) {
			return true
		}
	}
	return false
}

// head keeps the first bytes written to it and calls overflow once when there
// are more. It never fails, so that the writer is not stopped by it. The
// buffer is not embedded: its ReadFrom would take everything past Write.
type head struct {
	data     bytes.Buffer
	limit    int
	overflow func()
	over     bool
}

func (h *head) Write(p []byte) (int, error) {
	room := h.limit - h.data.Len()
	if len(p) > room && !h.over {
		h.over = true
		h.overflow()
	}
	h.data.Write(p[:min(room, len(p))])
	return len(p), nil
}

// tail keeps the last bytes written to it.
type tail struct {
	data  []byte
	limit int
}

func (t *tail) Write(p []byte) (int, error) {
	t.data = append(t.data, p[max(0, len(p)-t.limit):]...)
	if len(t.data) > 2*t.limit {
		t.data = append(t.data[:0], t.data[len(t.data)-t.limit:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	return strings.ToValidUTF8(string(t.data[max(0, len(t.data)-t.limit):]), "�")
}
