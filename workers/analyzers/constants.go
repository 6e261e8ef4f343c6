package analyzers

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"
)

// constantCondition looks for an if around the claim whose condition is fixed
// by constants of this package that are the same on every system.
func constantCondition(pl place, _ []place) (evidence string) {
	ast.Inspect(pl.file.syntax, func(n ast.Node) bool {
		stmt, ok := n.(*ast.IfStmt)
		if !ok || evidence != "" {
			return evidence == ""
		}
		value, fixed := pl.fixed(stmt.Cond)
		skipsBody := fixed && !value && pl.between(stmt.Body.Lbrace, stmt.Body.Rbrace)
		skipsElse := fixed && value && pl.inElse(stmt)
		if skipsBody || skipsElse {
			line := pl.line(stmt.Pos())
			evidence = fmt.Sprintf("line %d: the condition of `%s` is always %v", line, pl.text(line), value)
		}
		return true
	})
	return evidence
}

// between tells whether the whole claim stands on lines after that of an
// opening brace and before that of the closing one. What else stands on the
// lines of the braces may well run.
func (pl place) between(open, end token.Pos) bool {
	first, last := pl.line(open), pl.line(end)
	for _, r := range pl.ranges {
		if r.First <= first || r.Last >= last {
			return false
		}
	}
	return true
}

// inElse tells whether the claim stands in the else of a statement.
func (pl place) inElse(stmt *ast.IfStmt) bool {
	switch e := stmt.Else.(type) {
	case *ast.BlockStmt:
		return pl.between(e.Lbrace, e.Rbrace)
	case *ast.IfStmt:
		return pl.between(e.Body.Lbrace, e.Body.Rbrace) || pl.inElse(e)
	}
	return false
}

// fixed returns the value of a condition that constants decide.
func (pl place) fixed(cond ast.Expr) (value, ok bool) {
	if binary, isBinary := ast.Unparen(cond).(*ast.BinaryExpr); isBinary && (binary.Op == token.LAND || binary.Op == token.LOR) {
		decisive, undecided := binary.Op == token.LOR, false
		for _, side := range []ast.Expr{binary.X, binary.Y} {
			value, ok := pl.fixed(side)
			if ok && value == decisive {
				return value, true
			}
			undecided = undecided || !ok
		}
		return !decisive, !undecided
	}
	tv := pl.file.pkg.TypesInfo.Types[cond]
	if tv.Value == nil || tv.Value.Kind() != constant.Bool || !pl.ownConstants(cond, map[types.Object]bool{}) {
		return false, false
	}
	return constant.BoolVal(tv.Value), true
}

// ownConstants tells whether every name in an expression is a constant that
// this package declares, of values that are the same on every system:
// runtime.GOOS is a constant too, and so is the size of an int.
func (pl place) ownConstants(e ast.Expr, seen map[types.Object]bool) bool {
	own := true
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			own = own && pl.ownConstant(pl.file.pkg.TypesInfo.Uses[id], seen)
		}
		return own
	})
	return own
}

func (pl place) ownConstant(obj types.Object, seen map[types.Object]bool) bool {
	c, ok := obj.(*types.Const)
	switch {
	case !ok:
		return false
	case c.Parent() == types.Universe || seen[c]:
		return true
	case c.Pkg() != pl.file.pkg.Types || pl.constrained(c.Pos()):
		return false
	}
	seen[c] = true
	values, found := pl.valuesOf(c)
	for _, v := range values {
		found = found && pl.ownConstants(v, seen)
	}
	return found
}

// valuesOf returns the expressions on which the value of a constant of this
// package depends. A constant without one repeats the one before it.
func (pl place) valuesOf(c *types.Const) (values []ast.Expr, ok bool) {
	for _, f := range pl.file.pkg.Syntax {
		ast.Inspect(f, func(n ast.Node) bool {
			decl, isDecl := n.(*ast.GenDecl)
			if !isDecl || decl.Tok != token.CONST {
				return !ok
			}
			var last []ast.Expr
			for _, spec := range decl.Specs {
				spec := spec.(*ast.ValueSpec)
				if len(spec.Values) > 0 {
					last = spec.Values
				}
				for _, name := range spec.Names {
					if pl.file.pkg.TypesInfo.Defs[name] == c {
						values, ok = last, true
					}
				}
			}
			return !ok
		})
	}
	return values, ok
}

// constrained tells whether a constant may have another declaration for
// another system: if the package has files that build constraints leave out,
// or a file has constraints of its own.
func (pl place) constrained(pos token.Pos) bool {
	if len(pl.file.pkg.IgnoredFiles) > 0 {
		return true
	}
	for _, f := range pl.file.pkg.Syntax {
		if f.FileStart > pos || pos > f.FileEnd {
			continue
		}
		for _, group := range f.Comments {
			for _, c := range group.List {
				if strings.HasPrefix(c.Text, "//go:build") || strings.HasPrefix(c.Text, "// +build") {
					return true
				}
			}
		}
	}
	return false
}
