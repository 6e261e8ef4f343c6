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

	"golang.org/x/tools/go/packages"
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

// vet runs the analyzers over every sound package, once. The files of the
// others are broken: if a package does not build, or one of its tests does not,
// neither does what go vet makes of it.
func (p *program) vet(ctx context.Context) error {
	p.vetting.Lock()
	defer p.vetting.Unlock()
	if p.vetted != nil {
		return nil
	}
	vetted := map[string]bool{}
	p.diagnostics = map[string][]diagnostic{}
	for _, m := range p.modules {
		sound, unsound := m.sort(p.unsound)
		for path, reason := range unsound {
			p.breakPackage(m, path, reason)
		}
		for names := range slices.Chunk(sound, batch) {
			done, err := p.vetPackages(ctx, m, names)
			if err != nil {
				return err
			}
			for _, name := range done {
				m.files(name, func(file string) { vetted[p.relative(file)] = true })
			}
		}
	}
	for _, ds := range p.diagnostics {
		slices.SortFunc(ds, compareDiagnostics)
	}
	p.vetted = vetted
	return nil
}

func compareDiagnostics(a, b diagnostic) int {
	return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.check, b.check), cmp.Compare(a.message, b.message))
}

// sort lists the import paths of a module's packages that can be analyzed, and
// those that cannot, with the reason.
func (m *module) sort(why func(*packages.Package) string) (sound []string, unsound map[string]string) {
	unsound = map[string]string{}
	paths := map[string]bool{}
	for _, pkg := range m.pkgs {
		path := importPath(pkg.PkgPath, pkg.ForTest)
		paths[path] = true
		if reason := why(pkg); reason != "" && unsound[path] == "" {
			unsound[path] = reason
		}
	}
	for path := range paths {
		if unsound[path] == "" {
			sound = append(sound, path)
		}
	}
	slices.Sort(sound)
	return sound, unsound
}

// files visits the files of a package and its tests.
func (m *module) files(path string, visit func(file string)) {
	for _, pkg := range m.pkgs {
		if importPath(pkg.PkgPath, pkg.ForTest) != path {
			continue
		}
		for _, file := range slices.Concat(pkg.GoFiles, pkg.CompiledGoFiles) {
			visit(file)
		}
	}
}

// importPath is the package under which go vet looks at a package and its
// tests.
func importPath(path, forTest string) string {
	if forTest != "" {
		return forTest
	}
	return path
}

// vetPackages runs go vet over packages, and again without those that it fails
// on, until it fails on none: only what a run says that ended well is taken. It
// returns the packages of that run.
func (p *program) vetPackages(ctx context.Context, m *module, names []string) (done []string, err error) {
	for len(names) > 0 {
		stdout, stderr, err := goVet(ctx, m.dir, names)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil {
			return names, p.collect(bytes.NewReader(stdout))
		}
		failed := failures(stderr, names)
		if len(failed) == 0 {
			return nil, fmt.Errorf("go vet failed in %s: %w: %s", m.dir, err, firstLine(stderr))
		}
		for path, reason := range failed {
			p.breakPackage(m, path, p.tidied("the analyzers failed on package "+path+": "+reason))
		}
		names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { _, bad := failed[n]; return bad })
	}
	return nil, nil
}

func goVet(ctx context.Context, dir string, names []string) (stdout []byte, stderr string, err error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, "", err
	}
	cmd := exec.CommandContext(ctx, "go", append([]string{"vet", "-json", "-vettool=" + exe}, names...)...)
	cmd.Dir, cmd.Env = dir, append(goEnv(), ToolEnv+"=1")
	var out, messages bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &messages
	err = cmd.Run()
	return out.Bytes(), messages.String(), err
}

// failures takes from what go vet printed which of the packages failed, and
// the first line of what it says of each. Its headings are of the form
// "# path", "# [path]" and "# path_test [path.test]".
func failures(stderr string, names []string) map[string]string {
	failed := map[string]string{}
	for block := range strings.SplitSeq("\n"+stderr, "\n# ") {
		heading, text, _ := strings.Cut(block, "\n")
		for _, word := range strings.Fields(heading) {
			word = strings.Trim(word, "[]")
			for _, name := range names {
				if (word == name || word == name+".test") && failed[name] == "" {
					failed[name] = firstLine(text)
				}
			}
		}
	}
	return failed
}

// breakPackage marks the files of a package and its tests as not examined.
func (p *program) breakPackage(m *module, path, reason string) {
	m.files(path, func(file string) {
		if rel := p.relative(file); rel != "" && p.broken[rel] == "" {
			p.broken[rel] = reason
		}
	})
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
		path := importPathOf(pkg)
		for _, m := range p.modules {
			p.breakPackage(m, path, fmt.Sprintf("analyzer %s failed on package %s: %s", check, path, firstLine(failed.Error)))
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

// importPathOf reads the package that the tool says it examined: "p",
// "p [p.test]" or "p_test [p.test]".
func importPathOf(id string) string {
	path, variant, isVariant := strings.Cut(id, " [")
	if isVariant {
		return strings.TrimSuffix(variant, ".test]")
	}
	return path
}

func (p *program) keep(check string, d jsonDiagnostic) {
	rel, first := p.place(d.Posn)
	_, last := p.place(d.End)
	if p.files[rel] == nil || first < 1 || !worthKeeping(check, d) {
		return // the rest is in code that cgo generates into the cache
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

// worthKeeping tells reports of bugs from what analyzers add beside them:
// conditions that a check before makes superfluous, an error that is returned
// although it is nil, and a setting of TLS that has had no effect since Go 1.17.
func worthKeeping(check string, d jsonDiagnostic) bool {
	switch check {
	case "nilness":
		return d.Category != "cond"
	case "nilerr":
		return !strings.HasPrefix(d.Message, "error is nil ")
	}
	return !strings.Contains(d.Message, "PreferServerCipherSuites")
}

// place is the file, relative to the root, and the line of a position. A line
// that a //line directive moved is brought back.
func (p *program) place(posn string) (rel string, line int) {
	name, line := position(posn)
	if back, ok := p.moved[lineOf{name, line}]; ok {
		return back.file, back.line
	}
	return p.relative(name), line
}

// position splits file:line:column, or file:line, which stands behind a //line
// directive without a column. The file may have colons in its name.
func position(s string) (name string, line int) {
	name, last, _ := cutLast(s, ":")
	line, err := strconv.Atoi(last)
	if err != nil {
		return "", 0
	}
	if before, number, ok := cutLast(name, ":"); ok {
		if n, err := strconv.Atoi(number); err == nil {
			return before, n
		}
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
