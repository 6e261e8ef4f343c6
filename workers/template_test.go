package workers

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestATemplateIsCutAtItsPlaceholders(t *testing.T) {
	for _, tt := range []struct{ template, want string }{
		{`agent`, `agent`},
		{`agent {output}`, `agent <output>`},
		{`{root}/agent`, `<root>/agent`},
		{`agent{phase}{chunk}`, `agent<phase><chunk>`},
		{`a {assignment} {prompt} {output} {schema} {phase} {chunk} {root}`, `a <assignment> <prompt> <output> <schema> <phase> <chunk> <root>`},
		{`agent --out={output} <{prompt}`, `agent --out=<output> <<prompt>`},
		// What the shell reads itself.
		{`agent ${HOME} $HOME "${VAR}"`, `agent ${HOME} $HOME "${VAR}"`},
		{`agent ${output}`, `agent ${output}`},
		{`agent '${output}' {output}`, `agent '${output}' <output>`},
		{`{ agent; }`, `{ agent; }`},
		{`find . -exec cat {} +`, `find . -exec cat {} +`},
		{`cat a.{go,mod}`, `cat a.{go,mod}`},
		{`echo \{output}`, `echo \{output}`},
		{`echo \{whatever}`, `echo \{whatever}`},
		{`echo \\{output}`, `echo \\<output>`},
		// Quotes that are closed before the placeholder.
		{`agent 'a b' "c d" {output}`, `agent 'a b' "c d" <output>`},
		{`agent "it's" {output}`, `agent "it's" <output>`},
		{`agent 'say "' {output} 'so "'`, `agent 'say "' <output> 'so "'`},
		{`agent \' {output}`, `agent \' <output>`},
		{`agent "\"" {output}`, `agent "\"" <output>`},
		{`agent '\' {output}`, `agent '\' <output>`},
	} {
		t.Run(tt.template, func(t *testing.T) {
			pieces, err := parseTemplate(tt.template)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, shown(pieces)); diff != "" {
				t.Errorf("pieces (-want +got):\n%s", diff)
			}
		})
	}
}

// shown joins pieces, with the placeholders in angle brackets.
func shown(pieces []piece) string {
	var b strings.Builder
	for _, p := range pieces {
		if p.placeholder {
			b.WriteString("<" + p.text + ">")
		} else {
			b.WriteString(p.text)
		}
	}
	return b.String()
}

func TestATemplateIsRefused(t *testing.T) {
	for _, tt := range []struct{ template, want string }{
		{``, `is empty`},
		{" \t\n", `is empty`},
		{`agent {outptu}`, `unknown placeholder {outptu}`},
		{`agent {Output}`, `unknown placeholder {Output}`},
		{`agent {output_path}`, `unknown placeholder {output_path}`},
		{`awk '{print}'`, `unknown placeholder {print}`},
		{`agent {output} {nope}`, `there are {assignment} {prompt} {output}`},
		{`agent "{output}"`, `{output} stands inside quotes`},
		{`agent '{output}'`, `{output} stands inside quotes`},
		{`agent "a {output} b"`, `{output} stands inside quotes`},
		{`agent "it's {output}"`, `{output} stands inside quotes`},
		{`agent "\"{output}"`, `{output} stands inside quotes`},
		{`agent "$(cat {assignment})"`, `{assignment} stands inside quotes`},
		{`agent '\'{output}'`, ``}, // the first pair is closed, so this is for the shell to refuse
	} {
		t.Run(tt.template, func(t *testing.T) {
			_, err := parseTemplate(tt.template)
			if tt.want == "" {
				if err != nil {
					t.Errorf("the template is refused: %v", err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("the error is %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestOnlyAPlainFirstWordIsLookedUp(t *testing.T) {
	for line, want := range map[string]string{
		`agent --flag x`:        `agent`,
		`  ./bin/agent`:         `./bin/agent`,
		`cd sub && agent`:       `cd`,
		``:                      ``,
		`KEY=1 agent`:           ``,
		`$AGENT x`:              ``,
		`"my agent" x`:          ``,
		`'my agent' x`:          ``,
		`(agent)`:               ``,
		`{ agent; }`:            ``,
		`~/agent`:               ``,
		`agent;other`:           ``,
		`agent|tee`:             ``,
		`>out agent`:            ``,
		"agent\n":               `agent`,
		`# nothing but comment`: ``,
	} {
		if got := firstWord(line); got != want {
			t.Errorf("the first word of %q is %q, want %q", line, got, want)
		}
	}
}

func TestOnlyAllowedAndNamedVariablesArePassedOn(t *testing.T) {
	all := []string{
		"PATH=/bin", "HOME=/home", "LC_ALL=C", "LANG=C", "OPENAI_API_KEY=k", "GITHUB_TOKEN=t", "MY_FLAG=a=b",
		"PATHOLOGICAL=x", "path=lower", "AWS_SECRET_ACCESS_KEY=s", "NO_COLOR=1", "EMPTY=",
	}
	for _, tt := range []struct {
		name        string
		named, want []string
	}{
		{"none is named", nil, []string{"PATH=/bin", "HOME=/home", "LC_ALL=C", "LANG=C", "NO_COLOR=1"}},
		{"two are named", []string{"MY_FLAG", "EMPTY"}, []string{"PATH=/bin", "HOME=/home", "LC_ALL=C", "LANG=C", "MY_FLAG=a=b", "NO_COLOR=1", "EMPTY="}},
		{"one is named that is not there", []string{"ABSENT"}, []string{"PATH=/bin", "HOME=/home", "LC_ALL=C", "LANG=C", "NO_COLOR=1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, environment(all, tt.named)); diff != "" {
				t.Errorf("variables (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("nothing is allowed", func(t *testing.T) {
		if got := environment([]string{"GITHUB_TOKEN=t"}, nil); got == nil || len(got) != 0 {
			t.Errorf("got %#v; nil would pass on everything", got)
		}
	})
}

func TestTailKeepsTheEndOfWhatIsWritten(t *testing.T) {
	for _, tt := range []struct {
		name   string
		limit  int
		writes []string
		want   string
	}{
		{"nothing", 4, nil, ""},
		{"less than there is room for", 4, []string{"ab", "c"}, "abc"},
		{"one long write", 4, []string{strings.Repeat("x", 1000) + "end"}, "xend"},
		{"many short ones", 4, strings.Split(strings.Repeat("x", 1000)+"end", ""), "xend"},
		{"cut in the middle of a character", 3, []string{"xéab"}, "\ufffdab"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			keep := &tail{limit: tt.limit}
			for _, w := range tt.writes {
				if n, err := keep.Write([]byte(w)); n != len(w) || err != nil {
					t.Fatalf("Write(%q) = %d, %v", w, n, err)
				}
			}
			if got := keep.String(); got != tt.want {
				t.Errorf("kept %q, want %q", got, tt.want)
			}
			if len(keep.data) > 2*keep.limit {
				t.Errorf("holds %d bytes for a limit of %d", len(keep.data), keep.limit)
			}
		})
	}
}
