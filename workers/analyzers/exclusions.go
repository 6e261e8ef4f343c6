package analyzers

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
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
}

func generatedFile(pl place, _ []place) string {
	if !ast.IsGenerated(pl.file.syntax) {
		return ""
	}
	return fmt.Sprintf("%s carries Go's mark of generated code; the bug would be in the generator", pl.claim.File)
}

func testOnly(pl place, _ []place) string {
	if strings.HasSuffix(pl.claim.File, "_test.go") {
		return pl.claim.File + " is compiled for tests only"
	}
	path := pl.file.pkg.PkgPath
	if !strings.Contains(path+"/", "/internal/") || pl.file.pkg.Name == "main" {
		return ""
	}
	if importers := pl.program.importers(path); len(importers) > 0 {
		return ""
	}
	return fmt.Sprintf("package %s is internal, and no package imports it outside of tests", path)
}

// importers lists the packages that import path for more than their tests.
func (p *program) importers(path string) (names []string) {
	for _, m := range p.modules {
		for _, pkg := range m.pkgs {
			if pkg.ForTest == "" && pkg.Imports[path] != nil {
				names = append(names, pkg.PkgPath)
			}
		}
	}
	return names
}

// directive matches the comments that suppress a check: //nolint:a,b // why,
// //lint:ignore A,B why, and #nosec A B -- why.
var directive = regexp.MustCompile(`^(?://|/\*)\s*(?:` +
	`nolint(?::(?P<nolint>[\w,\s-]*\w))?\s*(?://\s*(?P<nolintWhy>.*))?` +
	`|lint:(?:file-)?ignore\s+(?P<lint>\S+)\s*(?P<lintWhy>.*)` +
	`|#\s?nosec\b\s*(?P<nosec>(?:G\d{3}[\s,]*)*)(?:--\s*(?P<nosecWhy>.*))?` +
	`)$`)

// suppressed looks for such a comment on the cited lines or the one above
// them. It has to name the check, or all, and to give a reason of more than
// one word.
func suppressed(pl place, _ []place) string {
	for _, group := range pl.file.syntax.Comments {
		for _, c := range group.List {
			line := pl.line(c.Pos())
			if !pl.touches(line, line+1) {
				continue
			}
			names, why, ok := readDirective(c.Text)
			if ok && len(strings.Fields(why)) > 1 && pl.coveredBy(names) {
				return fmt.Sprintf("line %d: %s", line, c.Text)
			}
		}
	}
	return ""
}

// readDirective returns the checks that a comment suppresses, none meaning
// all, and the reason.
func readDirective(comment string) (names []string, why string, ok bool) {
	m := directive.FindStringSubmatch(comment)
	if m == nil {
		return nil, "", false
	}
	get := func(name string) string { return m[directive.SubexpIndex(name)] }
	list := get("nolint") + get("lint") + get("nosec")
	names = strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
	return names, get("nolintWhy") + get("lintWhy") + get("nosecWhy"), true
}

// coveredBy tells whether suppressing the named checks suppresses every
// report that stands behind the claim.
func (pl place) coveredBy(names []string) bool {
	if len(names) == 0 {
		return true
	}
	if len(pl.reports) == 0 {
		return false
	}
	return !slices.ContainsFunc(pl.reports, func(d diagnostic) bool {
		known := suppressedAs(d.check)
		return !slices.ContainsFunc(names, func(n string) bool { return slices.Contains(known, n) })
	})
}

// constantCondition looks for an if around the claim whose condition is fixed
// by constants of this package that no build constraint selects.
func constantCondition(pl place, _ []place) (evidence string) {
	ast.Inspect(pl.file.syntax, func(n ast.Node) bool {
		stmt, ok := n.(*ast.IfStmt)
		if !ok || evidence != "" {
			return evidence == ""
		}
		value, fixed := pl.fixed(stmt.Cond)
		skipsBody := fixed && !value && pl.inside(stmt.Body.Lbrace+1, stmt.Body.Rbrace)
		skipsElse := fixed && value && stmt.Else != nil && pl.inside(stmt.Else.Pos(), stmt.Else.End())
		if (skipsBody || skipsElse) && pl.line(stmt.Pos()) < pl.ranges[0].First {
			evidence = fmt.Sprintf("line %d: `%s` is always %v", pl.line(stmt.Pos()), pl.text(pl.line(stmt.Pos())), value)
		}
		return true
	})
	return evidence
}

// fixed returns the value of a condition that constants decide.
func (pl place) fixed(cond ast.Expr) (value, ok bool) {
	if binary, isBinary := ast.Unparen(cond).(*ast.BinaryExpr); isBinary && (binary.Op == token.LAND || binary.Op == token.LOR) {
		decisive := binary.Op == token.LOR
		for _, side := range []ast.Expr{binary.X, binary.Y} {
			if value, ok := pl.fixed(side); ok && value == decisive {
				return value, true
			}
		}
		return false, false
	}
	tv := pl.file.pkg.TypesInfo.Types[cond]
	if tv.Value == nil || tv.Value.Kind() != constant.Bool || !pl.ownConstants(cond) {
		return false, false
	}
	return constant.BoolVal(tv.Value), true
}

// ownConstants tells whether every name in an expression is a constant that
// this package declares for every system: runtime.GOOS is a constant too.
func (pl place) ownConstants(e ast.Expr) bool {
	own := true
	ast.Inspect(e, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		obj := pl.file.pkg.TypesInfo.Uses[id]
		switch obj.(type) {
		case *types.Const:
			own = own && (obj.Parent() == types.Universe || obj.Pkg() == pl.file.pkg.Types && !pl.constrained(obj.Pos()))
		default:
			own = false
		}
		return true
	})
	return own
}

// constrained tells whether a position is in a file that build constraints
// select, by a line of its own or by its name.
func (pl place) constrained(pos token.Pos) bool {
	name := pl.program.fset.File(pos).Name()
	if len(pl.file.pkg.IgnoredFiles) > 0 {
		return true // another file may declare it for another system
	}
	for _, f := range pl.file.pkg.Syntax {
		if pl.program.fset.File(f.Pos()).Name() != name {
			continue
		}
		for _, group := range f.Comments {
			for _, c := range group.List {
				if strings.HasPrefix(c.Text, "//go:build") {
					return true
				}
			}
		}
	}
	return false
}

func unreachable(pl place, _ []place) string {
	name := pl.functionName()
	if name == "" {
		return "" // package variables are computed at start
	}
	if kind, _ := pl.program.reach().reached(name); kind != notReached {
		return ""
	}
	return fmt.Sprintf("nothing that runs refers to %s: no exported function, main, init or test", shortFunc(name))
}

// near is how many lines may lie between two reports of one bug, such as the
// one that builds a query and the one that runs it.
const near = 5

// duplicate looks for an earlier claim of the same weakness in the same
// function. Claims are in order, the worst first.
func duplicate(pl place, others []place) string {
	fn := pl.functionName()
	for _, o := range others {
		if o.claim.BugID == pl.claim.BugID {
			return ""
		}
		same := o.claim.File == pl.claim.File && o.claim.CWE != "" && o.claim.CWE == pl.claim.CWE && fn != "" && o.functionName() == fn
		gap := max(o.ranges[0].First-pl.lastLine(), pl.ranges[0].First-o.lastLine())
		if same && gap <= near {
			return fmt.Sprintf("%s is about the same weakness (%s) %s, in the same function", o.claim.BugID, o.claim.CWE, linesAway(gap))
		}
	}
	return ""
}

func (pl place) lastLine() int { return pl.ranges[len(pl.ranges)-1].Last }

func linesAway(gap int) string {
	switch {
	case gap <= 0:
		return "on the same lines"
	case gap == 1:
		return "on the next line"
	}
	return fmt.Sprintf("%d lines away", gap)
}

// neverFails are types and functions whose documentation says that they
// return no error: methods by their receiver, functions by their full name.
var neverFails = map[string]bool{
	"strings.Builder": true, "bytes.Buffer": true, "hash.Hash": true, "hash.Hash32": true, "hash.Hash64": true,
	"hash/maphash.Hash": true, "crypto/rand.Read": true, "math/rand.Read": true, "math/rand/v2.ChaCha8": true,
}

// impossibleError holds for a claim about an ignored error if every call on
// the cited lines whose error is dropped writes to something that never fails.
func impossibleError(pl place, _ []place) string {
	if pl.claim.CWE != "CWE-252" && !strings.EqualFold(pl.claim.Category, "error-handling") {
		return ""
	}
	var evidence string
	refuted := false
	pl.calls(func(call *ast.CallExpr, around []ast.Node) {
		if len(around) < 2 || !dropsResult(around[1]) {
			return
		}
		if sink := pl.sink(call); neverFails[sink] {
			evidence = fmt.Sprintf("the documentation of %s says that it returns no error", sink)
		} else {
			refuted = true
		}
	})
	if refuted {
		return ""
	}
	return evidence
}

func dropsResult(n ast.Node) bool {
	switch n.(type) {
	case *ast.ExprStmt, *ast.DeferStmt, *ast.GoStmt:
		return true
	}
	return false
}

// sink is what a call writes to: the receiver's type, the first argument's
// for functions such as io.WriteString and fmt.Fprintf, or the function.
func (pl place) sink(call *ast.CallExpr) string {
	fn, ok := typeutil.Callee(pl.file.pkg.TypesInfo, call).(*types.Func)
	if !ok {
		return ""
	}
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && fn.Signature().Recv() != nil {
		return typeName(pl.typeOf(sel.X))
	}
	if pkg := fn.Pkg().Path(); len(call.Args) > 0 && (pkg == "io" || pkg == "fmt") {
		return typeName(pl.typeOf(call.Args[0]))
	}
	return fn.FullName()
}

func typeName(t types.Type) string {
	if t == nil {
		return ""
	}
	return types.TypeString(deref(t), nil)
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
		isDelay := slices.ContainsFunc(around, func(n ast.Node) bool {
			e, ok := n.(ast.Expr)
			return ok && typeName(pl.typeOf(e)) == "time.Duration"
		})
		if isDelay {
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

// noCode holds if every cited line is empty or a comment.
func noCode(pl place, _ []place) string {
	code := false
	ast.Inspect(pl.file.syntax, func(n ast.Node) bool {
		switch n.(type) {
		case nil, *ast.File, *ast.Comment, *ast.CommentGroup:
			return true
		}
		code = code || pl.touches(pl.line(n.Pos()), pl.line(n.Pos())) || pl.touches(pl.line(n.End()), pl.line(n.End()))
		return !code
	})
	if code {
		return ""
	}
	return fmt.Sprintf("lines %s of %s hold comments or nothing", pl.claim.Lines, pl.claim.File)
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
