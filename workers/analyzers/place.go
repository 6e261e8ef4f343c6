package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/astutil"

	"bughunter/artifacts"
)

// place is the code that a claim is about.
type place struct {
	program *program
	claim   artifacts.Claim
	file    *file
	ranges  []artifacts.LineRange
	reports []diagnostic // what analyzers say there about the same kind of bug
}

// locate finds the code of a claim. ok is false if it is in no loaded package.
func (p *program) locate(c artifacts.Claim) (pl place, ok bool) {
	f := p.files[c.File]
	if f == nil || f.syntax == nil {
		return place{}, false
	}
	ranges, err := artifacts.ParseLines(c.Lines)
	if err != nil {
		return place{}, false
	}
	pl = place{program: p, claim: c, file: f, ranges: ranges}
	for _, d := range p.diagnostics[c.File] {
		if sameKind(table[d.check], c) && pl.touches(d.first, d.last) {
			pl.reports = append(pl.reports, d)
		}
	}
	slices.SortStableFunc(pl.reports, compareDiagnosed)
	return pl, true
}

// sameKind tells whether a rule and a claim speak of the same kind of bug.
func sameKind(r rule, c artifacts.Claim) bool {
	if r.cwe != "" && c.CWE != "" {
		return r.cwe == c.CWE
	}
	return strings.EqualFold(r.category, c.Category)
}

func (pl place) touches(first, last int) bool {
	return slices.ContainsFunc(pl.ranges, func(r artifacts.LineRange) bool { return r.First <= last && first <= r.Last })
}

func (pl place) line(pos token.Pos) int {
	return pl.program.fset.PositionFor(pos, pl.file.cgo).Line
}

// inside tells whether the whole claim stands between two positions.
func (pl place) inside(from, to token.Pos) bool {
	first, last := pl.line(from), pl.line(to)
	return !slices.ContainsFunc(pl.ranges, func(r artifacts.LineRange) bool { return r.First < first || r.Last > last })
}

// function is the declaration that the claim stands in, nil if it is outside
// of any.
func (pl place) function() *ast.FuncDecl {
	for _, decl := range pl.file.syntax.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && pl.inside(fn.Pos(), fn.End()) {
			return fn
		}
	}
	return nil
}

// outsideFunctions tells a claim about package variables and constants.
func (pl place) outsideFunctions() bool {
	return !slices.ContainsFunc(pl.file.syntax.Decls, func(decl ast.Decl) bool {
		_, ok := decl.(*ast.FuncDecl)
		return ok && pl.touches(pl.line(decl.Pos()), pl.line(decl.End()))
	})
}

// functionName is the full name of that function, "" if there is none.
func (pl place) functionName() string {
	decl := pl.function()
	if decl == nil {
		return ""
	}
	fn, ok := pl.file.pkg.TypesInfo.Defs[decl.Name].(*types.Func)
	if !ok {
		return ""
	}
	return fn.FullName()
}

// calls visits the calls that begin on the cited lines, each with the nodes
// around it, innermost first.
func (pl place) calls(visit func(call *ast.CallExpr, around []ast.Node)) {
	ast.Inspect(pl.file.syntax, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if ok && pl.touches(pl.line(call.Pos()), pl.line(call.Pos())) {
			around, _ := astutil.PathEnclosingInterval(pl.file.syntax, call.Pos(), call.End())
			visit(call, around)
		}
		return true
	})
}

func (pl place) typeOf(e ast.Expr) types.Type { return pl.file.pkg.TypesInfo.TypeOf(e) }

// text is one line of the file, without white space around it.
func (pl place) text(line int) string {
	lines := strings.Split(string(pl.program.content(pl.claim.File)), "\n")
	if line < 1 || line > len(lines) {
		return ""
	}
	return strings.TrimSpace(lines[line-1])
}
