//go:build unix

package workers

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bughunter/artifacts"
	"bughunter/replies"
)

// newJob is a hunter's job in a root of its own.
func newJob(t *testing.T, root string) Job {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "attempt")
	return Job{
		Assignment: &artifacts.Assignment{
			SchemaVersion: 1, Phase: "hunter", Chunk: "chunk-7", Attempt: 1, Root: root, Files: []string{"a.go"},
			OutputSchema: artifacts.OutputSchema{Artifact: "findings", SchemaVersion: 1},
			OutputPath:   filepath.Join(dir, "output.json"),
		},
		Schema: []byte(`{"type":"array"}`),
		Prompt: func(inFile bool) (string, error) {
			if inFile {
				return "write it into a file", nil
			}
			return "print it", nil
		},
		Dir: dir,
	}
}

func command(t *testing.T, template, root string, env ...string) *Command {
	t.Helper()
	c, err := NewCommand(template, root, env)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// work runs a template once in an empty root.
func work(t *testing.T, template string) (Result, error) {
	t.Helper()
	root := t.TempDir()
	return command(t, template, root).Work(t.Context(), newJob(t, root))
}

func failure(t *testing.T, err error) *replies.Failure {
	t.Helper()
	var f *replies.Failure
	if !errors.As(err, &f) {
		t.Fatalf("the error is %v, want a failure of the attempt", err)
	}
	return f
}

func TestACommandIsRefusedBeforeAnythingStarts(t *testing.T) {
	for _, tt := range []struct{ name, template, want string }{
		{"empty", "  ", "is empty"},
		{"a program that is not there", "no-such-program-here {output}", `the shell finds no program "no-such-program-here"`},
		{"a path that is not there", "./no-such-script", `the shell finds no program "./no-such-script"`},
		{"a quote that is not closed", "cat 'x", "the shell cannot parse"},
		{"a group that is not closed", "(cat", "the shell cannot parse"},
		{"half an if", "if true; then cat", "the shell cannot parse"},
		{"an unknown placeholder", "cat {file}", "unknown placeholder {file}"},
		{"a placeholder in quotes", `cat "{prompt}"`, "stands inside quotes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := NewCommand(tt.template, t.TempDir(), nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("NewCommand gave %v and the error %v, want one with %q", c, err, tt.want)
			}
		})
	}
}

func TestCheckingACommandDoesNotRunIt(t *testing.T) {
	root := t.TempDir()
	command(t, "touch started", root)
	if _, err := os.Lstat(filepath.Join(root, "started")); err == nil {
		t.Error("the command ran")
	}
}

func TestAProgramOfTheRepositoryIsFound(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "agent"), []byte("#!/bin/sh\necho '[]'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	result, err := command(t, "./agent", root).Work(t.Context(), newJob(t, root))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(result.Reply.Text); got != "[]\n" {
		t.Errorf("it printed %q", got)
	}
}

func TestWhereTheAnswerIsLookedFor(t *testing.T) {
	for _, tt := range []struct {
		name, template string
		want           replies.Raw
	}{
		{"what is printed", `echo '[]'`, replies.Raw{Text: []byte("[]\n")}},
		{"nothing is printed", `true`, replies.Raw{}},
		{"what goes to stderr is not the answer", `echo '[]' >&2`, replies.Raw{}},
		{"the file that the template names", `echo '[1]' > {output}; echo done`,
			replies.Raw{InFile: true, File: []byte("[1]\n"), Text: []byte("done\n")}},
		{"no file", `echo {output} >/dev/null; echo '[]'`, replies.Raw{InFile: true, Text: []byte("[]\n")}},
		{"an empty file is a file", `: > {output}`, replies.Raw{InFile: true, File: []byte{}}},
		{"half a file is handed on as it is", `printf '[{"bugId":' > {output}`, replies.Raw{InFile: true, File: []byte(`[{"bugId":`)}},
		{"a file the template does not name", `mkdir -p x; echo '[1]' > x/output.json; echo '[2]'`, replies.Raw{Text: []byte("[2]\n")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			result, err := work(t, tt.template)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, result.Reply); diff != "" {
				t.Errorf("reply (-want +got):\n%s", diff)
			}
		})
	}
}

func TestACommandIsGivenWhatItNames(t *testing.T) {
	root := t.TempDir()
	c := command(t, `printf '%s|' {phase} {chunk} {root} "$PWD"; cat {prompt}; printf '|'; cat {schema}; printf '|'; cat; printf '|'; cat {assignment}`, root)
	j := newJob(t, root)
	result, err := c.Work(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	assignment, err := artifacts.Encode(j.Assignment)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{"hunter", "chunk-7", root, root, "print it", `{"type":"array"}`, "print it", string(assignment)}, "|")
	if diff := cmp.Diff(want, string(result.Reply.Text)); diff != "" {
		t.Errorf("printed (-want +got):\n%s", diff)
	}
}

func TestOnlyTheFilesNamedAreWritten(t *testing.T) {
	root := t.TempDir()
	j := newJob(t, root)
	if _, err := command(t, `cat {schema} > {output}`, root).Work(t.Context(), j); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(j.Dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if diff := cmp.Diff([]string{"output.json", "schema.json"}, names); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func TestAnAgentIsToldWhereItsAnswerIsExpected(t *testing.T) {
	for template, want := range map[string]string{
		`cat`:                              "print it",
		`cat > {output}; cat {output} >&2`: "write it into a file",
	} {
		result, err := work(t, template)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(result.Reply.Text) + string(result.Reply.File); got != want {
			t.Errorf("%s: the prompt is %q, want %q", template, got, want)
		}
	}
}

func TestAnyRootCanBeNamed(t *testing.T) {
	for _, name := range []string{"with space", "it's", `"quoted"`, "new\nline", "$HOME", "`id`", "a;b&c|d", "-rf", "{output}", "ünïcode", `back\slash`} {
		t.Run(name, func(t *testing.T) {
			root := filepath.Join(t.TempDir(), name)
			if err := os.Mkdir(root, 0o755); err != nil {
				t.Fatal(err)
			}
			j := newJob(t, root)
			j.Dir = filepath.Join(root, ".bug-hunter", "attempts")
			j.Assignment.OutputPath = filepath.Join(j.Dir, "output.json")
			result, err := command(t, `cat {prompt} > {output}; printf %s {root}`, root).Work(t.Context(), j)
			if err != nil {
				t.Fatal(err)
			}
			want := replies.Raw{InFile: true, File: []byte("write it into a file"), Text: []byte(root)}
			if diff := cmp.Diff(want, result.Reply); diff != "" {
				t.Errorf("reply (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAPromptThatIsNotReadHurtsNobody(t *testing.T) {
	root := t.TempDir()
	long := strings.Repeat("x", 5<<20)
	for _, tt := range []struct{ template, want string }{
		{`echo '[]'`, "[]\n"},
		{`exec 0<&-; echo '[]'`, "[]\n"},
		{`head -c 3`, "xxx"},
		{`wc -c | tr -d ' '`, strconv.Itoa(len(long)) + "\n"},
	} {
		t.Run(tt.template, func(t *testing.T) {
			j := newJob(t, root)
			j.Prompt = func(bool) (string, error) { return long, nil }
			result, err := command(t, tt.template, root).Work(t.Context(), j)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(result.Reply.Text); got != tt.want {
				t.Errorf("it printed %q, want %q", got, tt.want)
			}
		})
	}
}

func TestSecretsDoNotReachTheCommand(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "secret")
	t.Setenv("NAMED_KEY", "given")
	root := t.TempDir()
	result, err := command(t, `env`, root, "NAMED_KEY").Work(t.Context(), newJob(t, root))
	if err != nil {
		t.Fatal(err)
	}
	got := string(result.Reply.Text)
	if strings.Contains(got, "secret") || !strings.Contains(got, "NAMED_KEY=given\n") || !strings.Contains(got, "PATH="+os.Getenv("PATH")+"\n") {
		t.Errorf("the command sees:\n%s", got)
	}
}

func TestHowACommandEnds(t *testing.T) {
	for _, tt := range []struct {
		name, template string
		permanent      bool
		want           string
	}{
		{"with an exit code", `echo 'no quota left' >&2; exit 1`, false, "the worker ended with exit status 1: no quota left"},
		{"silently", `exit 3`, false, "the worker ended with exit status 3"},
		{"after it wrote an answer", `echo '[]' | tee {output}; exit 1`, false, "exit status 1"},
		{"by a signal", `kill -SEGV $$`, false, "segmentation fault"},
		{"as a program that is not there", `true; no-such-program-here`, true, "exit status 127"},
		{"as one that may not be run", `true; /dev/null`, true, "exit status 126"},
		{"with a lot to say", `head -c 100000 /dev/zero | tr '\0' x >&2; echo ' the reason' >&2; exit 1`, false, " the reason"},
		{"with bytes that are no text", `printf '\377\376 sorry' >&2; exit 1`, false, "\ufffd sorry"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := work(t, tt.template)
			f := failure(t, err)
			if f.Kind != replies.WorkerFailed || f.Permanent != tt.permanent || !strings.Contains(f.Message, tt.want) {
				t.Errorf("failed as %s, permanent %v: %s\nwant worker-failed, permanent %v, with %q", f.Kind, f.Permanent, f.Message, tt.permanent, tt.want)
			}
			if len(f.Message) > 8<<10 {
				t.Errorf("the message has %d bytes", len(f.Message))
			}
		})
	}
}

// A worker can leave anything where its answer is expected.
func TestWhatIsNotAnAnswerFile(t *testing.T) {
	for _, tt := range []struct{ name, template, want string }{
		{"a symbolic link", `ln -s /etc/passwd {output}`, "is not a regular file"},
		{"a link to nowhere", `ln -s /no/such/file {output}`, "is not a regular file"},
		{"a folder", `mkdir {output}`, "is not a regular file"},
		{"a pipe", `mkfifo {output}`, "is not a regular file"},
		{"a device", `ln -s /dev/zero {output}`, "is not a regular file"},
		{"a sparse file of a gigabyte", `dd if=/dev/zero of={output} bs=1 count=1 seek=1073741824 2>/dev/null`, "is larger than 64 MiB"},
		{"one byte too many", `dd if=/dev/zero of={output} bs=1 count=1 seek=67108864 2>/dev/null`, "is larger than 64 MiB"},
		{"in a folder that has become a file", `d=$(dirname {output}); rm -r "$d"; : > "$d"`, "cannot be read"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := work(t, tt.template)
			if f := failure(t, err); f.Kind != replies.Malformed || !strings.Contains(f.Message, tt.want) {
				t.Errorf("failed as %s: %s; want malformed, with %q", f.Kind, f.Message, tt.want)
			}
		})
	}
}

func TestAGigabyteOnStdout(t *testing.T) {
	const gigabyte = `head -c 1073741824 /dev/zero`
	t.Run("is drained if the answer is a file", func(t *testing.T) {
		var result Result
		var err error
		held := allocated(func() { result, err = work(t, gigabyte+`; echo '[]' > {output}`) })
		if err != nil {
			t.Fatal(err)
		}
		if string(result.Reply.File) != "[]\n" || len(result.Reply.Text) > 4<<10 {
			t.Errorf("the answer is %q, with %d bytes of what was printed", result.Reply.File, len(result.Reply.Text))
		}
		if held > 64<<20 {
			t.Errorf("%d MiB were allocated", held>>20)
		}
	})
	for _, endless := range []string{gigabyte, `yes`, `yes >&2 & yes`} {
		t.Run("is malformed if it is the answer: "+endless, func(t *testing.T) {
			var err error
			held := allocated(func() { _, err = work(t, endless) })
			if f := failure(t, err); f.Kind != replies.Malformed || f.Message != "the worker printed more than 64 MiB" {
				t.Errorf("failed as %v", f)
			}
			if held > 512<<20 {
				t.Errorf("%d MiB were allocated", held>>20)
			}
		})
	}
}

// allocated is how many bytes f allocates in all, which bounds what it holds.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// lifeline is a pipe that processes hold on to: its reader sees its end when
// the last of them is gone, and not before.
type lifeline struct {
	t    *testing.T
	said chan string
}

func newLifeline(t *testing.T, root string) *lifeline {
	t.Helper()
	path := filepath.Join(root, "lifeline")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	l := &lifeline{t, make(chan string, 10)}
	go func() {
		defer close(l.said)
		f, err := os.Open(path)
		if err != nil {
			t.Error(err)
			return
		}
		defer f.Close()
		for s := bufio.NewScanner(f); s.Scan(); {
			l.said <- s.Text()
		}
	}()
	return l
}

// next is the next line that one of the processes said, or false once all are
// gone.
func (l *lifeline) next() (line string, ok bool) {
	l.t.Helper()
	select {
	case line, ok = <-l.said:
		return line, ok
	case <-time.After(30 * time.Second):
		l.t.Fatal("somebody is still there and says nothing")
		return "", false
	}
}

// gone waits until the last of the processes is gone.
func (l *lifeline) gone() {
	l.t.Helper()
	for {
		if _, ok := l.next(); !ok {
			return
		}
	}
}

// family is a shell, two children of it and a grandchild. Each tells its id.
const family = `exec 3>lifeline
sh -c 'echo $$ >&3; exec sleep 1000' &
sh -c 'sh -c "echo \$\$ >&3; exec sleep 1000" & echo $$ >&3; wait' &
echo $$ >&3
wait`

func TestTheWholeFamilyIsGoneAfterTheDeadline(t *testing.T) {
	root := t.TempDir()
	life := newLifeline(t, root)
	c := command(t, family, root)
	ctx, deadline := context.WithCancelCause(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := c.Work(ctx, newJob(t, root))
		ended <- err
	}()
	var pids []int
	for range 4 {
		line, _ := life.next()
		pid, err := strconv.Atoi(line)
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	deadline(context.DeadlineExceeded)
	if f := failure(t, <-ended); f.Kind != replies.Timeout || f.Permanent {
		t.Errorf("failed as %v", f)
	}
	life.gone()
	for _, pid := range pids {
		waitForEnd(t, pid)
	}
}

// waitForEnd allows a process that has closed its files already to finish.
func waitForEnd(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); running(pid); {
		if time.Now().After(deadline) {
			t.Errorf("process %d is still running", pid)
			return
		}
	}
}

// running tells whether a process is there. One that has ended and that nobody
// has waited for yet keeps its id, and does not count.
func running(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	state, err := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && !strings.HasPrefix(strings.TrimSpace(string(state)), "Z")
}

func TestADeadlineEndsAHangingCommand(t *testing.T) {
	root := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := command(t, `trap '' TERM INT HUP; while :; do sleep 1000; done`, root).Work(ctx, newJob(t, root))
	if f := failure(t, err); f.Kind != replies.Timeout || !strings.Contains(f.Message, "deadline") {
		t.Errorf("failed as %v", f)
	}
}

// A process in the background that keeps stdout open does not keep the attempt
// from ending, nor does it outlive it.
func TestABackgroundProcessEndsWithTheAttempt(t *testing.T) {
	const background = `exec 3>lifeline; { echo here >&3; sleep 1000; } & `
	t.Run("that succeeds", func(t *testing.T) {
		t.Parallel()
		root := t.TempDir()
		life := newLifeline(t, root)
		result, err := command(t, background+`echo '[]'`, root).Work(t.Context(), newJob(t, root))
		if err != nil || string(result.Reply.Text) != "[]\n" {
			t.Errorf("it printed %q, with the error %v", result.Reply.Text, err)
		}
		life.gone()
	})
	t.Run("that fails", func(t *testing.T) {
		t.Parallel()
		root := t.TempDir()
		life := newLifeline(t, root)
		_, err := command(t, background+`exit 1`, root).Work(t.Context(), newJob(t, root))
		if f := failure(t, err); f.Kind != replies.WorkerFailed {
			t.Errorf("failed as %v", f)
		}
		life.gone()
	})
}

func TestAStoppedRunIsNotAFailureOfTheWorker(t *testing.T) {
	stopped := errors.New("the user pressed a key")
	root := t.TempDir()
	ctx, cancel := context.WithCancelCause(t.Context())
	begun := filepath.Join(root, "begun")
	if err := syscall.Mkfifo(begun, 0o600); err != nil {
		t.Fatal(err)
	}
	go func() {
		if _, err := os.ReadFile(begun); err != nil {
			t.Error(err)
		}
		cancel(stopped)
	}()
	_, err := command(t, `echo > begun; sleep 1000`, root).Work(ctx, newJob(t, root))
	var f *replies.Failure
	if !errors.Is(err, stopped) || errors.As(err, &f) {
		t.Errorf("the error is %v, want the cause of the stop", err)
	}
}

func TestAnErrorOfThePromptIsNotAFailureOfTheWorker(t *testing.T) {
	broken := errors.New("no template")
	root := t.TempDir()
	j := newJob(t, root)
	j.Prompt = func(bool) (string, error) { return "", broken }
	if _, err := command(t, `touch ran`, root).Work(t.Context(), j); !errors.Is(err, broken) {
		t.Errorf("the error is %v", err)
	}
	if _, err := os.Lstat(filepath.Join(root, "ran")); err == nil {
		t.Error("the command ran without its prompt")
	}
}

func TestTheNameOfACommandIsItsTemplate(t *testing.T) {
	t.Setenv("NAMED_KEY", "secret")
	if got := command(t, `cat {output}`, t.TempDir(), "NAMED_KEY").String(); got != "command: cat {output}" {
		t.Errorf("the name is %q", got)
	}
}

// FuzzShellQuote holds that a real shell takes any text without a NUL byte for
// one word, and the same.
func FuzzShellQuote(f *testing.F) {
	for _, s := range []string{"", " ", "a b", "it's", `'\''`, `"`, "$(id)", "`id`", "\n", "a\nb\n", `\`, "!x", "*", "~", "-n", "%s", "\x80\xff", "é…"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if strings.ContainsRune(s, 0) {
			return // no argument of a process can hold one
		}
		out, err := exec.Command("sh", "-c", "set -- "+shellQuote(s)+`; printf '%s,%s' "$#" "$1"`).Output()
		if err != nil {
			t.Fatal(err)
		}
		if got := string(out); got != "1,"+s {
			t.Errorf("%q became %q", s, got)
		}
	})
}

// FuzzTemplate holds that no value can leave its word, whatever template is
// accepted around it.
func FuzzTemplate(f *testing.F) {
	for _, s := range []string{"agent {output}", `a 'b' {output}`, `\{output}`, `\\{output}`, `"a\"" {phase}`, "${output}", `'{output}`, "{root}{root}"} {
		f.Add(s, "it's; $(id)\n\"x")
	}
	f.Fuzz(func(t *testing.T, template, value string) {
		pieces, err := parseTemplate(template)
		if err != nil {
			return
		}
		if got := strings.NewReplacer("<", "{", ">", "}").Replace(shown(pieces)); !strings.ContainsAny(template, "<>") && got != template {
			t.Errorf("the pieces are %q of %q", got, template)
		}
		c := &Command{pieces: pieces}
		for _, p := range pieces {
			before, _, _ := strings.Cut(shown(pieces), "<"+p.text+">")
			if p.placeholder && !strings.ContainsAny(template, "<>") && !strings.Contains(before, "<") && inQuotes(before+shellQuote(value)) {
				t.Errorf("%q leaves a quote open in %q", value, c.expand(map[string]string{p.text: value}))
			}
		}
	})
}
