package analyzers

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/types/typeutil"
)

// Exclusion is a rule by which the skeptic disproves a claim. A rule is about
// what the code is, decided by reading it, never about a word in the claim.
type Exclusion struct {
	ID    string // E1, E2, …
	Title string
	// holds returns the evidence that the rule applies, "" if it does not.
	holds func(pl place, others []place) string
}

// Exclusions are the skeptic's rules, in the order in which they are tried.
var Exclusions = []Exclusion{
	{"E1", "the file is generated", generatedFile},
	{"E2", "only tests use the code", testOnly},
	{"E3", "the author suppressed the check and gave a reason", suppressed},
	{"E4", "a condition that is constant keeps the code from running", constantCondition},
	{"E5", "no exported function, main, init or test reaches the code", unreachable},
	{"E6", "another finding is about the same bug", duplicate},
	{"E7", "the ignored error cannot occur", impossibleError},
	{"E8", "the random number only makes a delay", randomDelay},
	{"E9", "the cited lines hold no code", noCode},
	{"E10", "a comment says that the error is passed over on purpose", meantToPass},
	{"E11", "the body is closed by a function that is given its Close method", closedByValue},
	{"E12", "what is written is not sent as a page", notAPage},
}

// exclusion returns the first rule that applies to a claim.
func (pl place) exclusion(others []place) (Exclusion, string, bool) {
	for _, e := range Exclusions {
		if evidence := e.holds(pl, others); evidence != "" {
			return e, evidence, true
		}
	}
	return Exclusion{}, "", false
}

// generatedFile reads the file itself: what cgo makes of it always carries the
// mark.
func generatedFile(pl place, _ []place) string {
	f, err := parser.ParseFile(token.NewFileSet(), "", pl.program.content(pl.claim.File), parser.PackageClauseOnly|parser.ParseComments)
	if err != nil || !ast.IsGenerated(f) {
		return ""
	}
	return fmt.Sprintf("%s carries Go's mark of generated code; the bug would be in the generator", pl.claim.File)
}

// testOnly holds for test files, and for an internal package that tests import
// and nothing else does. It takes the whole module to see that.
func testOnly(pl place, _ []place) string {
	if strings.HasSuffix(pl.claim.File, "_test.go") {
		return pl.claim.File + " is compiled for tests only"
	}
	pkg, p := pl.file.pkg, pl.program
	if !strings.Contains(pkg.PkgPath+"/", "/internal/") || pkg.Name == "main" || pkg.Module == nil || !p.below(pkg.Module.Dir) {
		return ""
	}
	code, tests := p.importers(pkg.PkgPath)
	if code > 0 || tests == 0 || p.importedUnseen(pkg.PkgPath) {
		return ""
	}
	return fmt.Sprintf("package %s is internal, and only tests import it", pkg.PkgPath)
}

// importers counts the packages that import path, for themselves or for their
// tests.
func (p *program) importers(path string) (code, tests int) {
	for _, m := range p.modules {
		for _, pkg := range m.pkgs {
			switch {
			case pkg.Imports[path] == nil:
			case pkg.ForTest == "":
				code++
			default:
				tests++
			}
		}
	}
	return code, tests
}

func unreachable(pl place, _ []place) string {
	name := pl.functionName()
	if name == "" {
		return "" // package variables are computed at start
	}
	r := pl.program.reach()
	if r.mayRun(name) || r.mayBeTested(name) {
		return ""
	}
	return fmt.Sprintf("nothing that runs refers to %s: no exported function, main, init or test", r.labelOf(name))
}

// duplicate looks for an earlier claim of the same bug: two checks that look
// for the same thing report where a value is made and where it is used. Two
// reports of one check are two bugs, however close they stand.
func duplicate(pl place, others []place) string {
	for _, o := range others {
		if o.claim.BugID == pl.claim.BugID {
			return ""
		}
		if o.claim.File != pl.claim.File || o.function() == nil || o.function() != pl.function() || !sameBug(pl.reports, o.reports) {
			continue
		}
		if v := passedOn(pl, o); v != "" {
			return fmt.Sprintf("%s is about the same value, %s, and the same weakness, in the same function", o.claim.BugID, v)
		}
	}
	return ""
}

// sameBug tells whether every report of one claim has one by another check
// with the same subject in the other.
func sameBug(reports, others []diagnostic) bool {
	return len(reports) > 0 && !slices.ContainsFunc(reports, func(a diagnostic) bool {
		return !slices.ContainsFunc(others, func(b diagnostic) bool { return a.check != b.check && alike(a.check, b.check) })
	})
}

// passedOn names the variable that gets its value on the lines of the one
// place and is read on those of the other, where the data is followed to. It
// is "" if there is none, or if both follow data or neither does.
func passedOn(a, b place) string {
	if a.followsData() == b.followsData() {
		return ""
	}
	maker, user := a, b
	if a.followsData() {
		maker, user = b, a
	}
	made, read := maker.assigned(), user.read()
	for v := range made {
		if read[v] {
			return v.Name()
		}
	}
	return ""
}

func (pl place) followsData() bool {
	return slices.ContainsFunc(pl.reports, func(d diagnostic) bool { return taintAnalyses[d.check] != nil })
}

// assigned are the local variables that statements on the cited lines set.
func (pl place) assigned() map[*types.Var]bool {
	set := map[*types.Var]bool{}
	ast.Inspect(pl.function(), func(n ast.Node) bool {
		assign, ok := n.(*ast.AssignStmt)
		if !ok || !pl.touches(pl.line(assign.Pos()), pl.line(assign.End())) {
			return true
		}
		for _, left := range assign.Lhs {
			if id, ok := ast.Unparen(left).(*ast.Ident); ok {
				if v, ok := pl.file.pkg.TypesInfo.ObjectOf(id).(*types.Var); ok {
					set[v] = true
				}
			}
		}
		return true
	})
	return set
}

// read are the variables that are named on the cited lines.
func (pl place) read() map[*types.Var]bool {
	named := map[*types.Var]bool{}
	ast.Inspect(pl.function(), func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && pl.touches(pl.line(id.Pos()), pl.line(id.Pos())) {
			if v, ok := pl.file.pkg.TypesInfo.Uses[id].(*types.Var); ok {
				named[v] = true
			}
		}
		return true
	})
	return named
}

// randomDelay holds for a claim about predictable random numbers if every
// such number on the cited lines becomes a time.Duration.
func randomDelay(pl place, _ []place) string {
	if pl.claim.CWE != "CWE-338" {
		return ""
	}
	delays, others := 0, 0
	pl.calls(func(call *ast.CallExpr, around []ast.Node) {
		fn, ok := typeutil.Callee(pl.file.pkg.TypesInfo, call).(*types.Func)
		if !ok || fn.Pkg() == nil || !strings.HasPrefix(fn.Pkg().Path(), "math/rand") {
			return
		}
		if pl.becomesDuration(around) {
			delays++
		} else {
			others++
		}
	})
	if delays == 0 || others > 0 {
		return ""
	}
	return fmt.Sprintf("the number on line %s becomes a time.Duration, which nobody has to be unable to guess", pl.claim.Lines)
}

// becomesDuration tells whether an expression is turned into a time.Duration
// by arithmetic and conversions alone, and stays one.
func (pl place) becomesDuration(around []ast.Node) bool {
	duration := false
	for _, n := range around {
		switch n := n.(type) {
		case *ast.CallExpr:
			if tv := pl.file.pkg.TypesInfo.Types[n.Fun]; !tv.IsType() && n != around[0] {
				return duration
			}
		case *ast.BinaryExpr, *ast.ParenExpr, *ast.UnaryExpr:
		default:
			return duration
		}
		duration = typeName(pl.typeOf(n.(ast.Expr))) == "time.Duration"
	}
	return duration
}

// noCode holds if every cited line is empty or a comment that nothing but
// people read.
func noCode(pl place, _ []place) string {
	if pl.file.cgo || pl.directives() {
		return ""
	}
	code := false
	ast.Inspect(pl.file.syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil, *ast.File, *ast.Comment, *ast.CommentGroup:
			return true
		case *ast.BasicLit: // a raw string may have lines of its own
			code = code || pl.touches(pl.line(n.Pos()), pl.line(n.End()))
		default:
			code = code || pl.touchesAt(n.Pos()) || pl.touchesAt(n.End())
		}
		return !code
	})
	if code {
		return ""
	}
	return fmt.Sprintf("lines %s of %s hold comments or nothing", pl.claim.Lines, pl.claim.File)
}

func (pl place) touchesAt(pos token.Pos) bool { return pl.touches(pl.line(pos), pl.line(pos)) }

// directives tells whether a comment on the cited lines is for the compiler.
func (pl place) directives() bool {
	for _, group := range pl.file.syntax.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "//go:") && pl.touchesAt(c.Pos()) {
				return true
			}
		}
	}
	return false
}
