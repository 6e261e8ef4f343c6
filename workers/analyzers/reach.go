package analyzers

import (
	"go/ast"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// entry says from where a function is reached.
type entry int

// The kinds of entry, strongest first.
const (
	fromMain   entry = iota // main, init or the value of a package variable
	fromAPI                 // an exported function or method
	fromTest                // a test, benchmark, fuzz target or example
	notReached entry = -1
)

// references is which function refers to which. A reference is a call or any
// other use, since a function that is passed on may be called; a use of an
// interface's method is one of every method of that name, and a use of a type
// one of its exported methods, since the library may call them. So what is
// not reached here is not reached by a running program, while what is reached
// may still never be called.
//
// Functions are known by their full names, as package and its variant for
// tests hold two objects for one function.
type references struct {
	edges  map[string][]string
	roots  [3][]string
	parent [3]map[string]string // towards the root; a root is its own parent
}

func newReferences(p *program) *references {
	r := &references{edges: map[string][]string{}}
	for _, m := range p.modules {
		for _, pkg := range m.pkgs {
			assembly := slices.ContainsFunc(pkg.OtherFiles, func(f string) bool { return filepath.Ext(f) == ".s" })
			for _, f := range pkg.Syntax {
				test := strings.HasSuffix(p.fset.File(f.Pos()).Name(), "_test.go")
				for _, decl := range f.Decls {
					r.addDecl(pkg, decl, test, assembly)
				}
			}
		}
	}
	for kind := range r.parent {
		r.parent[kind] = r.search(r.roots[kind])
	}
	return r
}

// addDecl takes up a declaration. Assembly may call any function of its
// package.
func (r *references) addDecl(pkg *packages.Package, decl ast.Decl, test, assembly bool) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		fn, ok := pkg.TypesInfo.Defs[decl.Name].(*types.Func)
		if !ok {
			return
		}
		name := fn.FullName()
		r.uses(pkg, name, decl)
		if kind := entryOf(fn, decl, test); kind != notReached {
			r.roots[kind] = append(r.roots[kind], name)
		}
		if assembly || linkedByName(decl) {
			r.roots[fromMain] = append(r.roots[fromMain], name)
		}
		if decl.Recv != nil {
			r.addMethod(fn)
		}
	case *ast.GenDecl:
		r.addGenDecl(pkg, decl, test)
	}
}

// addMethod makes a method reached by uses of interface methods of its name,
// and an exported one by uses of its type.
func (r *references) addMethod(fn *types.Func) {
	r.edge("interface method "+fn.Name(), fn.FullName())
	if named := receiver(fn); named != nil && fn.Exported() {
		r.edge(typeNode(named.Obj()), fn.FullName())
	}
}

func receiver(fn *types.Func) *types.Named {
	recv := fn.Signature().Recv()
	if recv == nil {
		return nil
	}
	t := recv.Type()
	if ptr, ok := t.(*types.Pointer); ok {
		t = ptr.Elem()
	}
	named, _ := t.(*types.Named)
	return named
}

// addGenDecl takes up the values of package variables, which are computed at
// start, and which types a type is made of.
func (r *references) addGenDecl(pkg *packages.Package, decl *ast.GenDecl, test bool) {
	for _, spec := range decl.Specs {
		switch spec := spec.(type) {
		case *ast.ValueSpec:
			name := "the variables of " + pkg.PkgPath
			kind := fromMain
			if test {
				name, kind = "the variables of the tests of "+pkg.PkgPath, fromTest
			}
			r.uses(pkg, name, spec)
			r.roots[kind] = append(r.roots[kind], name)
		case *ast.TypeSpec:
			if obj, ok := pkg.TypesInfo.Defs[spec.Name].(*types.TypeName); ok {
				r.uses(pkg, typeNode(obj), spec.Type)
			}
		}
	}
}

// uses adds an edge for every function and type named below a node.
func (r *references) uses(pkg *packages.Package, from string, node ast.Node) {
	ast.Inspect(node, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		switch obj := pkg.TypesInfo.Uses[id].(type) {
		case *types.Func:
			fn := obj.Origin()
			if recv := fn.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
				r.edge(from, "interface method "+fn.Name())
			} else {
				r.edge(from, fn.FullName())
			}
		case *types.TypeName:
			r.edge(from, typeNode(obj))
		case *types.Var, *types.Const:
			if named, ok := types.Unalias(deref(obj.Type())).(*types.Named); ok {
				r.edge(from, typeNode(named.Obj()))
			}
		}
		return true
	})
}

func deref(t types.Type) types.Type {
	if ptr, ok := t.(*types.Pointer); ok {
		return ptr.Elem()
	}
	return t
}

func typeNode(obj *types.TypeName) string {
	if obj.Pkg() == nil {
		return "type " + obj.Name()
	}
	return "type " + obj.Pkg().Path() + "." + obj.Name()
}

func (r *references) edge(from, to string) { r.edges[from] = append(r.edges[from], to) }

// entryOf says whether a function is an entry point by itself.
func entryOf(fn *types.Func, decl *ast.FuncDecl, test bool) entry {
	name := fn.Name()
	isMain := fn.Pkg().Name() == "main"
	switch {
	case test && decl.Recv == nil && isTestName(name), test && name == "init":
		return fromTest
	case test:
		return notReached
	case decl.Recv == nil && (name == "init" || isMain && name == "main"):
		return fromMain
	case fn.Exported() && !isMain && exportedReceiver(fn):
		return fromAPI
	}
	return notReached
}

func isTestName(name string) bool {
	for _, prefix := range []string{"Test", "Benchmark", "Fuzz", "Example"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

func exportedReceiver(fn *types.Func) bool {
	named := receiver(fn)
	return named == nil || named.Obj().Exported()
}

// linkedByName tells a function that something outside Go's view may call.
func linkedByName(decl *ast.FuncDecl) bool {
	if decl.Doc == nil {
		return false
	}
	return slices.ContainsFunc(decl.Doc.List, func(c *ast.Comment) bool {
		return strings.HasPrefix(c.Text, "//export ") || strings.HasPrefix(c.Text, "//go:linkname ")
	})
}

// search walks breadth first from the roots and returns, for everything that
// is reached, the step before it on a shortest way.
func (r *references) search(roots []string) map[string]string {
	parent := map[string]string{}
	var queue []string
	for _, root := range slices.Sorted(slices.Values(roots)) {
		if _, ok := parent[root]; !ok {
			parent[root] = root
			queue = append(queue, root)
		}
	}
	for len(queue) > 0 {
		from := queue[0]
		queue = queue[1:]
		for _, to := range r.edges[from] {
			if _, ok := parent[to]; !ok {
				parent[to] = from
				queue = append(queue, to)
			}
		}
	}
	return parent
}

// reached tells from where a function is reached, and the way as function
// names, entry first.
func (r *references) reached(name string) (entry, []string) {
	for kind := range r.parent {
		if _, ok := r.parent[kind][name]; ok {
			return entry(kind), r.way(r.parent[kind], name)
		}
	}
	return notReached, nil
}

func (r *references) way(parent map[string]string, name string) []string {
	var way []string
	for {
		if !strings.HasPrefix(name, "type ") && !strings.HasPrefix(name, "interface method ") {
			way = append(way, shortFunc(name))
		}
		if parent[name] == name {
			break
		}
		name = parent[name]
	}
	slices.Reverse(way)
	return way
}

// shortFunc drops the folders of a package path from a function's full name:
// (*example.com/a/store.Store).Get becomes (*store.Store).Get.
func shortFunc(name string) string {
	i := strings.LastIndex(name, "/")
	if i < 0 {
		return name
	}
	start := strings.LastIndexAny(name[:i], "(* ") + 1
	return name[:start] + name[i+1:]
}
