package analyzers

import (
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/go/packages"
)

// program is what the go command says is below a root: the packages of every
// module there, with syntax and types.
type program struct {
	root    string
	fset    *token.FileSet
	modules []*module
	files   map[string]*file  // by path relative to root
	broken  map[string]string // files, and go.mod files for modules, that cannot be examined, with the reason
	folders map[string]string // folders of which the go command makes no package, with the reason
	ignored map[string]bool   // files that build constraints leave out
	moved   map[lineOf]lineOf // lines that //line directives give another place
	reach   func() *references
	unseen  func() map[string][]string // what Go files in no package import

	reading sync.Mutex // guards the code of the files

	vetting     sync.Mutex
	vetted      map[string]bool         // the files that every analyzer has been over
	diagnostics map[string][]diagnostic // by path relative to root, sorted
}

// module is a folder with a go.mod, or the root if that is inside a module.
type module struct {
	dir  string // absolute
	pkgs []*packages.Package
}

// file is a source file of a package.
type file struct {
	pkg    *packages.Package
	syntax *ast.File
	cgo    bool // the syntax is of a translation, which tells the lines of the file
	code   []byte
}

// lineOf is a line of a file.
type lineOf struct {
	file string // absolute, or relative to the root
	line int
}

const loadMode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
	packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo |
	packages.NeedExportFile | packages.NeedModule | packages.NeedForTest

// load loads every module below root.
func load(ctx context.Context, root string) (*program, error) {
	if _, err := exec.LookPath("go"); err != nil {
		return nil, fmt.Errorf("the built-in analyzers need the go command, which is not on the PATH: %w", err)
	}
	dirs, err := moduleDirs(ctx, root)
	if err != nil {
		return nil, err
	}
	p := &program{
		root: root, fset: token.NewFileSet(), files: map[string]*file{},
		broken: map[string]string{}, folders: map[string]string{}, ignored: map[string]bool{}, moved: map[lineOf]lineOf{},
	}
	for _, dir := range dirs {
		if err := p.loadModule(ctx, dir); err != nil {
			return nil, err
		}
	}
	p.reach = sync.OnceValue(func() *references { return newReferences(p) })
	p.unseen = sync.OnceValue(p.unseenImports)
	return p, nil
}

// goEnv is the environment of the go command: off the network, and not allowed
// to change go.mod, which it does for -mod=mod alone.
func goEnv() []string {
	flags := strings.Fields(os.Getenv("GOFLAGS"))
	flags = slices.DeleteFunc(flags, func(f string) bool { return f == "-mod=mod" || f == "--mod=mod" })
	return append(os.Environ(), "GOPROXY=off", "GOTOOLCHAIN=local", "GOFLAGS="+strings.Join(flags, " "))
}

// moduleDirs finds the modules below root, and root itself if a module above
// it holds it.
func moduleDirs(ctx context.Context, root string) ([]string, error) {
	var dirs []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // an unreadable folder fails where the queue is made
		}
		if d.IsDir() && path != root && skipped(d.Name()) {
			return filepath.SkipDir
		}
		if !d.IsDir() && d.Name() == "go.mod" {
			dirs = append(dirs, filepath.Dir(path))
		}
		return nil
	})
	if err != nil || slices.Contains(dirs, root) {
		return dirs, err
	}
	cmd := exec.CommandContext(ctx, "go", "env", "GOMOD")
	cmd.Dir, cmd.Env = root, goEnv()
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOMOD: %w", err)
	}
	if mod := strings.TrimSpace(string(out)); mod != "" && mod != os.DevNull && mod != "NUL" {
		dirs = append(dirs, root)
	}
	return dirs, nil
}

// skipped tells the folders that the go command passes over in ./...
func skipped(name string) bool {
	return name == "vendor" || name == "testdata" || name == "node_modules" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
}

func (p *program) loadModule(ctx context.Context, dir string) error {
	cfg := &packages.Config{
		Context: ctx, Mode: loadMode, Dir: dir, Env: goEnv(), Fset: p.fset, Tests: true,
	}
	pkgs, err := packages.Load(cfg, "./...")
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		p.breakModule(dir, err.Error())
		return nil
	}
	m := &module{dir: dir}
	for _, pkg := range pkgs {
		switch {
		case strings.HasSuffix(pkg.PkgPath, ".test") && pkg.Name == "main":
			// the test binary's generated main
		case pkg.ID == "./...":
			p.breakModule(dir, firstError(pkg.Errors))
		case len(pkg.GoFiles)+len(pkg.IgnoredFiles) == 0 && len(pkg.Errors) > 0:
			p.breakFolder(dir, pkg)
		default:
			m.pkgs = append(m.pkgs, pkg)
			p.addPackage(pkg)
		}
	}
	p.modules = append(p.modules, m)
	return nil
}

// breakModule notes that nothing of a module could be loaded.
func (p *program) breakModule(dir, reason string) {
	if _, after, ok := strings.Cut(reason, "stderr: "); ok {
		reason = after
	}
	reason = strings.TrimPrefix(firstLine(reason), "go: ")
	p.broken[p.relative(filepath.Join(dir, "go.mod"))] = p.tidied(reason)
}

// breakFolder notes that the go command makes no package of a folder, such as
// one whose name cannot be in an import path.
func (p *program) breakFolder(dir string, pkg *packages.Package) {
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return
	}
	if below, ok := strings.CutPrefix(pkg.ID, modfile.ModulePath(mod)+"/"); ok {
		p.folders[p.relative(filepath.Join(dir, filepath.FromSlash(below)))] = p.tidied(firstError(pkg.Errors))
	}
}

// addPackage notes which files a package has and whether they can be examined.
// A package comes several times, for itself and for its tests; a file is
// examined only if all of them are sound.
func (p *program) addPackage(pkg *packages.Package) {
	reason := p.unsound(pkg)
	syntax := map[string]*ast.File{}
	for _, f := range pkg.Syntax {
		syntax[p.sourceOf(f)] = f
	}
	for _, name := range slices.Concat(pkg.GoFiles, pkg.CompiledGoFiles) {
		rel := p.relative(name)
		if rel == "" {
			continue // generated by cgo into the cache
		}
		if reason != "" {
			p.broken[rel] = reason
		}
		if f := syntax[name]; p.files[rel] == nil || p.files[rel].syntax == nil && f != nil {
			p.files[rel] = &file{pkg: pkg, syntax: f, cgo: f != nil && p.fset.File(f.FileStart).Name() != name}
			p.addMoved(rel, f)
		}
	}
	for _, name := range pkg.IgnoredFiles {
		p.ignored[p.relative(name)] = true
	}
}

// sourceOf is the file that syntax was parsed from, or for cgo's translation,
// the one that was translated.
func (p *program) sourceOf(f *ast.File) string {
	name := p.fset.File(f.FileStart).Name() // a file without a package clause has no other position
	if p.relative(name) == "" {
		return p.fset.Position(f.Package).Filename
	}
	return name
}

// addMoved notes which lines of a file are reported as others, of other files
// even, so that what is said there can be brought back.
func (p *program) addMoved(rel string, f *ast.File) {
	if f == nil || p.files[rel].cgo {
		return
	}
	source := p.fset.File(f.FileStart)
	for line := 1; line <= source.LineCount(); line++ {
		at := p.fset.Position(source.LineStart(line))
		if at.Filename != source.Name() || at.Line != line {
			p.moved[lineOf{at.Filename, at.Line}] = lineOf{rel, line}
		}
	}
}

// unsound says why a package cannot be analyzed, "" if it can.
func (p *program) unsound(pkg *packages.Package) string {
	switch {
	case len(pkg.Errors) > 0:
		return p.tidied("package " + pkg.PkgPath + " does not build: " + firstError(slices.Concat(importErrors(pkg, true), pkg.Errors)))
	case pkg.IllTyped:
		return p.tidied("package " + pkg.PkgPath + " does not build: something it imports does not: " + firstError(importErrors(pkg, false)))
	}
	return ""
}

// importErrors are the errors of what a package imports, each with the path
// that is imported. What is missing altogether is all that is asked for if
// missing is true.
func importErrors(pkg *packages.Package, missing bool) (errs []packages.Error) {
	for _, path := range slices.Sorted(maps.Keys(pkg.Imports)) {
		imported := pkg.Imports[path]
		if len(imported.Errors) == 0 || missing && imported.Name != "" {
			continue
		}
		err := imported.Errors[0]
		if !strings.Contains(err.Msg, path) {
			err.Msg = path + ": " + firstLine(err.Msg)
		}
		errs = append(errs, err)
	}
	return errs
}

// firstError is the first error that carries a position, or the first. What is
// missing is not there for want of a download, and we make none.
func firstError(errs []packages.Error) string {
	if len(errs) == 0 {
		return "the go command does not say why"
	}
	first := slices.MinFunc(errs, func(a, b packages.Error) int { return cmp.Compare(rank(a), rank(b)) })
	return firstLine(strings.TrimPrefix(first.Error(), "-: "))
}

// rank puts errors that carry a position first.
func rank(e packages.Error) int {
	if e.Pos == "" || e.Pos == "-" {
		return 1
	}
	return 0
}

var notDownloaded = regexp.MustCompile(`missing go\.sum entry|cannot find module|no required module provides|disabled by GOPROXY=off|updates to go\.mod needed`)

// toAdd is how the go command goes on to commands that we put in other words.
var toAdd = regexp.MustCompile(`; to add( it)?:.*$`)

// tidied makes a message of the go command fit to be kept: without the path of
// the root, and with what to do about a dependency that is not there.
func (p *program) tidied(reason string) string {
	reason = strings.ReplaceAll(reason, p.root+string(filepath.Separator), "")
	if notDownloaded.MatchString(reason) {
		reason = toAdd.ReplaceAllString(reason, "") + " (the hunt downloads nothing: run `go mod tidy` or `go mod download` first)"
	}
	return reason
}

// firstLine is the first line of a message of the go command that says
// something; headings of the form "# package" do not.
func firstLine(s string) string {
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") && !strings.HasSuffix(line, "# ") {
			return line
		}
	}
	return strings.TrimSpace(s)
}

// relative is a path below the root with forward slashes, "" if it is not
// below.
func (p *program) relative(name string) string {
	rel, err := filepath.Rel(p.root, name)
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel)
}

// below tells whether a folder is the root or stands below it.
func (p *program) below(dir string) bool { return p.relative(dir) != "" }

// content is the source of a file, read once.
func (p *program) content(rel string) []byte {
	f := p.files[rel]
	if f == nil {
		return nil
	}
	p.reading.Lock()
	defer p.reading.Unlock()
	if f.code == nil {
		data, err := os.ReadFile(filepath.Join(p.root, filepath.FromSlash(rel)))
		if err != nil {
			return nil
		}
		f.code = data
	}
	return f.code
}
