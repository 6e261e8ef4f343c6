package analyzers

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// diagnostic is what one analyzer says about one place.
type diagnostic struct {
	file        string // relative to the root
	first, last int    // 1-based lines, ends included
	check       string // the analyzer's name, or gosec's rule
	message     string
	fixes       []suggestedFix
}

// suggestedFix is a change that an analyzer offers.
type suggestedFix struct {
	Message string
	Edits   []textEdit
}

// textEdit replaces bytes Start to End of a file.
type textEdit struct {
	Filename   string
	Start, End int
	New        string
}

// batch is how many packages are named on one command line.
const batch = 500

// vet runs the analyzers over every sound package, once.
func (p *program) vet(ctx context.Context) error {
	p.vetting.Lock()
	defer p.vetting.Unlock()
	if p.vetted {
		return nil
	}
	p.diagnostics = map[string][]diagnostic{}
	for _, m := range p.modules {
		for names := range slices.Chunk(m.sound(), batch) {
			if err := p.vetPackages(ctx, m, names); err != nil {
				return err
			}
		}
	}
	for _, ds := range p.diagnostics {
		slices.SortFunc(ds, compareDiagnostics)
	}
	p.vetted = true
	return nil
}

func compareDiagnostics(a, b diagnostic) int {
	return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.check, b.check), cmp.Compare(a.message, b.message))
}

// sound lists the import paths of a module's packages that can be analyzed. If
// a package's tests do not build, neither does what go vet makes of it.
func (m *module) sound() []string {
	good := map[string]bool{}
	for _, pkg := range m.pkgs {
		path := importPath(pkg.PkgPath, pkg.ForTest)
		ok, seen := good[path]
		good[path] = unsound(pkg) == "" && (ok || !seen)
	}
	var names []string
	for path, ok := range good {
		if ok {
			names = append(names, path)
		}
	}
	slices.Sort(names)
	return names
}

// importPath is the package under which go vet looks at a package and its
// tests.
func importPath(path, forTest string) string {
	if forTest != "" {
		return forTest
	}
	return path
}

func (p *program) vetPackages(ctx context.Context, m *module, names []string) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", append([]string{"vet", "-json", "-vettool=" + exe}, names...)...)
	cmd.Dir, cmd.Env = m.dir, append(goEnv(), ToolEnv+"=1")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := p.collect(&stdout); err != nil {
		return fmt.Errorf("go vet: %w", err)
	}
	if err != nil {
		return p.vetFailed(m, err, stderr.String())
	}
	return nil
}

// vetFailed takes from what go vet printed which packages failed, and marks
// their files. If it names none, nothing can be said of any.
func (p *program) vetFailed(m *module, err error, stderr string) error {
	named := false
	for block := range strings.SplitSeq("\n"+stderr, "\n# ") {
		heading, text, _ := strings.Cut(block, "\n")
		path, _, _ := strings.Cut(heading, " ")
		for _, pkg := range m.pkgs {
			if path != "" && importPath(pkg.PkgPath, pkg.ForTest) == strings.TrimSuffix(path, "_test") {
				named = true
				p.breakPackage(pkg.GoFiles, "the analyzers failed on package "+path+": "+firstLine(text))
			}
		}
	}
	if !named {
		return fmt.Errorf("go vet failed in %s: %w: %s", m.dir, err, firstLine(stderr))
	}
	return nil
}

func (p *program) breakPackage(files []string, reason string) {
	for _, name := range files {
		if rel := p.relative(name); rel != "" {
			p.broken[rel] = reason
		}
	}
}

// unit is what the tool prints about one package: by analyzer, a list of
// diagnostics or an object with the analyzer's error.
type unit map[string]map[string]json.RawMessage

// collect reads the stream of JSON objects that go vet passes on. Lines with
// "# package" between them are headings.
func (p *program) collect(r io.Reader) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(withoutHeadings(data)))
	for {
		var u unit
		if err := dec.Decode(&u); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("reading the analyzers' output: %w", err)
		}
		for pkg, checks := range u {
			for check, result := range checks {
				if err := p.take(pkg, check, result); err != nil {
					return err
				}
			}
		}
	}
}

func withoutHeadings(data []byte) []byte {
	var out []byte
	for line := range bytes.Lines(data) {
		if !bytes.HasPrefix(line, []byte("#")) {
			out = append(out, line...)
		}
	}
	return out
}

// jsonDiagnostic is a diagnostic as the tool prints it (see JSONDiagnostic in
// golang.org/x/tools/go/analysis/internal).
type jsonDiagnostic struct {
	Category       string `json:"category"`
	Posn           string `json:"posn"`
	End            string `json:"end"`
	Message        string `json:"message"`
	SuggestedFixes []struct {
		Message string `json:"message"`
		Edits   []struct {
			Filename string `json:"filename"`
			Start    int    `json:"start"`
			End      int    `json:"end"`
			New      string `json:"new"`
		} `json:"edits"`
	} `json:"suggested_fixes"`
}

// take keeps what an analyzer said about a package.
func (p *program) take(pkg, check string, result json.RawMessage) error {
	var failed struct{ Error string }
	if json.Unmarshal(result, &failed) == nil && failed.Error != "" {
		path, _, _ := strings.Cut(pkg, " ")
		for _, m := range p.modules {
			for _, loaded := range m.pkgs {
				if loaded.PkgPath == path {
					p.breakPackage(loaded.GoFiles, fmt.Sprintf("analyzer %s failed: %s", check, firstLine(failed.Error)))
				}
			}
		}
		return nil
	}
	var ds []jsonDiagnostic
	if err := json.Unmarshal(result, &ds); err != nil {
		return fmt.Errorf("what %s says about %s: %w", check, pkg, err)
	}
	for _, d := range ds {
		p.keep(check, d)
	}
	return nil
}

func (p *program) keep(check string, d jsonDiagnostic) {
	name, first := position(d.Posn)
	_, last := position(d.End)
	rel := p.relative(name)
	if rel == "" || p.files[rel] == nil || first < 1 {
		return // in generated code of the cache, or at a place that //line made up
	}
	if check == gosecName {
		check = d.Category
	}
	kept := diagnostic{file: rel, first: first, last: max(first, last), check: check, message: d.Message}
	for _, f := range d.SuggestedFixes {
		fix := suggestedFix{Message: f.Message}
		for _, e := range f.Edits {
			fix.Edits = append(fix.Edits, textEdit(e))
		}
		kept.fixes = append(kept.fixes, fix)
	}
	p.diagnostics[rel] = append(p.diagnostics[rel], kept)
}

// position splits file:line:column. The file may have colons in its name.
func position(s string) (name string, line int) {
	s, _, ok := cutLast(s, ":")
	if !ok {
		return "", 0
	}
	name, number, _ := cutLast(s, ":")
	line, err := strconv.Atoi(number)
	if err != nil {
		return "", 0
	}
	return name, line
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
