package analyzers

import (
	"go/ast"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/types/typeutil"
)

// settles has, for checks whose reports leave a question, the cases in which
// the code answers it, and the report is taken for a bug.
var settles = map[string]func(pl place, d diagnostic) bool{
	"G115":      cutWhenWritten,
	"G402":      certainlySet,
	"G404":      makesSecret,
	"SA4006":    dropsError,
	"losterror": losesFile,
	"nilerr":    hidesFailure,
}

var secretName = regexp.MustCompile(`(?i)token|session|secret|passw|nonce|salt|apikey|otp|captcha|csrf`)

// makesSecret tells whether the function or package around a random number is
// named for something that must not be guessed. It only ever raises a doubt to
// an acceptance, and excludes nothing.
func makesSecret(pl place, _ diagnostic) bool {
	fn := pl.function()
	return fn != nil && secretName.MatchString(fn.Name.Name) || secretName.MatchString(pl.file.pkg.Name) || pl.file.pkg.Name == "auth"
}

// cutWhenWritten tells a conversion to fewer bits whose result goes straight
// into encoded data: there it is the number from then on. The length of
// something in memory is not meant, nor what changes the sign only.
func cutWhenWritten(pl place, d diagnostic) (cut bool) {
	info := pl.file.pkg.TypesInfo
	ast.Inspect(pl.file.syntax, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || !pl.touchesReport(call, d) {
			return true
		}
		fn, ok := typeutil.Callee(info, call).(*types.Func)
		if !ok || fn.Pkg() == nil || fn.Pkg().Path() != "encoding/binary" {
			return true
		}
		cut = cut || slices.ContainsFunc(call.Args, func(arg ast.Expr) bool { return pl.narrows(arg) })
		return true
	})
	return cut
}

func (pl place) touchesReport(n ast.Node, d diagnostic) bool {
	return pl.line(n.Pos()) <= d.last && d.first <= pl.line(n.End())
}

// narrows tells a conversion of an integer to one of fewer bits.
func (pl place) narrows(e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || len(call.Args) != 1 || !pl.file.pkg.TypesInfo.Types[call.Fun].IsType() {
		return false
	}
	if inner, ok := ast.Unparen(call.Args[0]).(*ast.CallExpr); ok {
		if id, ok := ast.Unparen(inner.Fun).(*ast.Ident); ok && (id.Name == "len" || id.Name == "cap") {
			return false
		}
	}
	from, to := pl.typeOf(call.Args[0]), pl.typeOf(call)
	return isInteger(from) && isInteger(to) && pl.file.pkg.TypesSizes.Sizeof(to) < pl.file.pkg.TypesSizes.Sizeof(from)
}

func isInteger(t types.Type) bool {
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsInteger != 0
}

// certainlySet tells the setting of TLS that is wrong whatever happens from
// one whose value is computed.
func certainlySet(_ place, d diagnostic) bool { return !strings.Contains(d.message, "may be") }

// dropsError tells a value that nobody reads from an error that nobody reads.
func dropsError(pl place, d diagnostic) (found bool) {
	ast.Inspect(pl.file.syntax, func(n ast.Node) bool {
		assign, ok := n.(*ast.AssignStmt)
		if !ok || !pl.touchesReport(assign, d) {
			return true
		}
		for _, left := range assign.Lhs {
			v, ok := pl.variable(left)
			found = found || ok && isError(v.Type()) && strings.Contains(d.message, " of "+v.Name()+" ")
		}
		return true
	})
	return found
}

// losesFile tells an ignored error that costs data from that of a copy to who
// knows where: a terminal or a connection that is gone loses nothing that
// anybody could still read. A copy to a file does.
func losesFile(pl place, d diagnostic) bool {
	lost := true
	pl.calls(func(call *ast.CallExpr, _ []ast.Node) {
		fn, ok := typeutil.Callee(pl.file.pkg.TypesInfo, call).(*types.Func)
		if ok && (fn.FullName() == "io.Copy" || fn.FullName() == "io.CopyN") && pl.touchesReport(call, d) {
			lost = pl.keeps(call.Args[0])
		}
	})
	return lost
}

// keeps tells a writer that is a file, an archive or several of which one is.
func (pl place) keeps(e ast.Expr) bool {
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok {
		fn, ok := typeutil.Callee(pl.file.pkg.TypesInfo, call).(*types.Func)
		return ok && fn.FullName() == "io.MultiWriter" && slices.ContainsFunc(call.Args, pl.keeps)
	}
	switch typeName(pl.typeOf(e)) {
	case "os.File", "archive/tar.Writer", "compress/gzip.Writer", "bufio.Writer":
		return true
	}
	return false
}

// answers are functions whose error is an answer: it is not there, it is not a
// number. To return nil then is as a rule what is meant.
var answers = map[string]bool{
	"os.Stat": true, "os.Lstat": true, "(*os.File).Stat": true, "os.Readlink": true, "io/fs.Stat": true,
	"os/exec.LookPath": true, "path/filepath.Rel": true, "time.Parse": true, "time.ParseDuration": true,
	"net/url.Parse": true, "net/netip.ParseAddr": true, "os/user.Lookup": true, "(*net/http.Request).Cookie": true,
}

// hidesFailure tells a nil that takes the place of the error of a call made in
// the same function, where nothing else is done about it and nothing else is
// asked. An error that was handed in, as to the function of a walk, or kept from
// before may be known already.
func hidesFailure(pl place, d diagnostic) bool {
	fn := pl.function()
	if fn == nil {
		return false
	}
	var branch *ast.IfStmt
	ast.Inspect(fn, func(n ast.Node) bool {
		if stmt, ok := n.(*ast.IfStmt); ok && pl.touchesReport(stmt.Body, d) {
			branch = stmt // the innermost comes last
		}
		return true
	})
	if branch == nil || len(branch.Body.List) != 1 {
		return false
	}
	cond, ok := ast.Unparen(branch.Cond).(*ast.BinaryExpr)
	if !ok || comparedToNil(pl.file.pkg.TypesInfo, cond) == nil {
		return false
	}
	failed, ok := pl.variable(cond.X)
	return ok && pl.failureOf(fn, failed, branch)
}

// failureOf tells whether a variable was last set by a call whose error is
// more than an answer.
func (pl place) failureOf(fn *ast.FuncDecl, v *types.Var, before *ast.IfStmt) (failure bool) {
	ast.Inspect(fn, func(n ast.Node) bool {
		assign, ok := n.(*ast.AssignStmt)
		if !ok || assign.Pos() >= before.Body.Pos() {
			return true
		}
		for _, left := range assign.Lhs {
			if set, ok := pl.variable(left); !ok || set != v {
				continue
			}
			call, isCall := ast.Unparen(assign.Rhs[len(assign.Rhs)-1]).(*ast.CallExpr)
			failure = isCall && !pl.isAnswer(call)
		}
		return true
	})
	return failure
}

func (pl place) isAnswer(call *ast.CallExpr) bool {
	fn, ok := typeutil.Callee(pl.file.pkg.TypesInfo, call).(*types.Func)
	return ok && (answers[fn.FullName()] || fn.Pkg() != nil && fn.Pkg().Path() == "strconv")
}
