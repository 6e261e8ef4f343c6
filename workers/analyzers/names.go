package analyzers

import (
	"go/ast"
	"go/types"
	"path"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// label notes how a function is shown to people: with its package's name in
// place of the whole path, as in (*store.Store).Get.
func (r *references) label(name string, fn *types.Func) {
	if r.labels[name] != "" {
		return
	}
	shown := fn.Name()
	if recv := fn.Signature().Recv(); recv != nil {
		shown = "(" + types.TypeString(recv.Type(), label) + ")." + shown
	} else if fn.Pkg() != nil {
		shown = label(fn.Pkg()) + "." + shown
	}
	r.labels[name] = shown
}

var majorVersion = regexp.MustCompile(`^v\d+$`)

// label is a package's name, and the folder's for one of the many named main.
func label(pkg *types.Package) string {
	if pkg.Name() != "main" {
		return pkg.Name()
	}
	dir, base := path.Split(pkg.Path())
	if majorVersion.MatchString(base) {
		base = path.Base(dir)
	}
	return base
}

func (r *references) labelOf(name string) string {
	if shown := r.labels[name]; shown != "" {
		return shown
	}
	return strings.TrimPrefix(path.Base(name), "variable ")
}

// linkedByName tells a function that something outside Go's view may call.
func linkedByName(decl *ast.FuncDecl) bool {
	if decl.Doc == nil {
		return false
	}
	return slices.ContainsFunc(decl.Doc.List, func(c *ast.Comment) bool {
		return strings.HasPrefix(c.Text, "//export ") || strings.HasPrefix(c.Text, "//go:wasmexport ")
	})
}

// addLinkname takes both names of a //go:linkname for functions that something
// else may call. The directive stands anywhere in a file, and may be about a
// function of another package.
func (r *references) addLinkname(pkg *packages.Package, comment string) {
	words := strings.Fields(comment)
	if len(words) < 2 || words[0] != "//go:linkname" {
		return
	}
	r.maybe = append(r.maybe, pkg.PkgPath+"."+words[1])
	if len(words) > 2 {
		r.maybe = append(r.maybe, symbolName(words[2]))
	}
}

// symbolName turns a linker symbol such as a/b.(*T).M into the full name of a
// function, (*a/b.T).M.
func symbolName(symbol string) string {
	slash := strings.LastIndex(symbol, "/") + 1
	pkg, rest, _ := strings.Cut(symbol[slash:], ".")
	pkg = symbol[:slash] + pkg
	recv, method, isMethod := strings.Cut(rest, ".")
	if !isMethod {
		return pkg + "." + rest
	}
	if name, ok := strings.CutPrefix(recv, "(*"); ok {
		return "(*" + pkg + "." + strings.TrimSuffix(name, ")") + ")." + method
	}
	return "(" + pkg + "." + recv + ")." + method
}
