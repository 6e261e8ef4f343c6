package analyzers

import (
	"go/ast"
	"go/types"
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

// references is which function refers to which, at two levels.
//
// A way through steps is one that can be followed in the source: each function
// names the next, as a call or as a value, or calls a method of an interface
// that the next one's type implements, or hands a value of that type over as
// the interface, or reads a package variable whose value names it. That the code is reached is said of these alone.
//
// What cannot be ruled out is more: a library may call every exported method,
// and a plugin's host every exported function; a method of an interface may be
// any of its name; and what files for other systems, assembly and the linker
// call is not seen at all. That the code is not reached is said only if none of
// this holds.
//
// Functions are known by their full names, as package and its variant for
// tests hold two objects for one function.
type references struct {
	steps     map[string][]string
	guesses   map[string][]string // what only cannot be ruled out
	roots     [3][]string
	maybe     []string        // roots that may be called from where we do not look
	ofTests   map[string]bool // what is declared in test files
	labels    map[string]string
	requests  []string // functions that are given an *http.Request
	behaviour *behaviour

	parent   [3]map[string]string // towards the root by steps; a root is its own parent
	possible map[string]string    // by steps and guesses, from roots of all kinds but tests
	tested   map[string]string    // by steps and guesses, from tests
	served   map[string]string    // by steps from requests
}

func newReferences(p *program) *references {
	r := &references{
		steps: map[string][]string{}, guesses: map[string][]string{},
		ofTests: map[string]bool{}, labels: map[string]string{}, behaviour: newBehaviour(),
	}
	for _, m := range p.modules {
		for _, pkg := range m.pkgs {
			r.addPackage(p, pkg)
		}
	}
	r.behaviour.implementations(r.step)
	never := func(string) bool { return false }
	tests := func(name string) bool { return r.ofTests[name] }
	for kind := range r.parent {
		skip := tests
		if entry(kind) == fromTest {
			skip = never
		}
		r.parent[kind] = search(r.roots[kind], skip, r.steps)
	}
	r.possible = search(slices.Concat(r.roots[fromMain], r.roots[fromAPI], r.maybe), tests, r.steps, r.guesses)
	r.tested = search(r.roots[fromTest], never, r.steps, r.guesses)
	r.served = search(r.requests, tests, r.steps)
	return r
}

func (r *references) addPackage(p *program, pkg *packages.Package) {
	unseen := unseenNames(pkg)
	for _, f := range pkg.Syntax {
		test := strings.HasSuffix(p.fset.File(f.Pos()).Name(), "_test.go")
		for _, decl := range f.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				r.addFunc(pkg, decl, test, unseen)
			case *ast.GenDecl:
				r.addVariables(pkg, decl, test)
			}
		}
		for _, group := range f.Comments {
			for _, c := range group.List {
				r.addLinkname(pkg, c.Text)
			}
		}
	}
}

func (r *references) addFunc(pkg *packages.Package, decl *ast.FuncDecl, test bool, unseen func(string) bool) {
	fn, ok := pkg.TypesInfo.Defs[decl.Name].(*types.Func)
	if !ok {
		return
	}
	name := fn.FullName()
	r.label(name, fn)
	r.ofTests[name] = test
	r.uses(pkg, name, decl)
	if kind := entryOf(fn, decl, test); kind != notReached {
		r.roots[kind] = append(r.roots[kind], name)
	}
	if linkedByName(decl) || unseen(fn.Name()) || fn.Exported() && !test {
		r.maybe = append(r.maybe, name)
	}
	if takesRequest(fn) && !test {
		r.requests = append(r.requests, name)
	}
	if decl.Recv != nil {
		r.guess("any method "+fn.Name(), name)
		r.behaviour.addMethod(fn)
	}
}

func receiver(fn *types.Func) *types.Named {
	recv := fn.Signature().Recv()
	if recv == nil {
		return nil
	}
	named, _ := types.Unalias(deref(recv.Type())).(*types.Named)
	return named
}

// addVariables takes up package variables. A call in a variable's value is made
// at start; what the value only names is used by whoever reads the variable.
func (r *references) addVariables(pkg *packages.Package, decl *ast.GenDecl, test bool) {
	start, kind := "the variables of ", fromMain
	if test {
		start, kind = "the variables of the tests of ", fromTest
	}
	shown := start + label(pkg.Types)
	start += pkg.PkgPath
	r.labels[start] = shown
	for _, spec := range decl.Specs {
		spec, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		r.roots[kind] = append(r.roots[kind], start)
		for _, value := range spec.Values {
			r.callsAtStart(pkg, start, value)
		}
		for _, name := range spec.Names {
			node := variableNode(pkg.TypesInfo.Defs[name])
			r.ofTests[node] = test
			r.uses(pkg, node, spec)
			r.guess(start, node)
		}
	}
}

// callsAtStart adds a step to every function that computing a value calls, or
// hands to one that it calls.
func (r *references) callsAtStart(pkg *packages.Package, start string, value ast.Expr) {
	ast.Inspect(value, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			r.uses(pkg, start, n)
			return false
		}
		return true
	})
}

// uses adds a step for every function and variable named below a node.
func (r *references) uses(pkg *packages.Package, from string, node ast.Node) {
	ast.Inspect(node, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			r.handsOver(pkg, from, n)
			return true
		}
		switch obj := pkg.TypesInfo.Uses[id].(type) {
		case *types.Func:
			fn := obj.Origin()
			r.label(fn.FullName(), fn)
			r.step(from, fn.FullName())
			if recv := fn.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
				r.guess(from, "any method "+fn.Name())
				r.behaviour.addCall(fn)
			}
		case *types.Var:
			if obj.Pkg() != nil && obj.Parent() == obj.Pkg().Scope() {
				r.step(from, variableNode(obj))
			}
		}
		return true
	})
}

func deref(t types.Type) types.Type {
	if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
		return ptr.Elem()
	}
	return t
}

func variableNode(obj types.Object) string {
	if obj == nil || obj.Pkg() == nil {
		return "variable _"
	}
	return "variable " + obj.Pkg().Path() + "." + obj.Name()
}

func (r *references) step(from, to string)  { r.steps[from] = append(r.steps[from], to) }
func (r *references) guess(from, to string) { r.guesses[from] = append(r.guesses[from], to) }

// entryOf says whether a function is an entry point by itself.
func entryOf(fn *types.Func, decl *ast.FuncDecl, test bool) entry {
	name := fn.Name()
	isMain := fn.Pkg().Name() == "main"
	switch {
	case test && decl.Recv == nil && isTestName(name), test && name == "init" && decl.Recv == nil:
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

func takesRequest(fn *types.Func) bool {
	for v := range fn.Signature().Params().Variables() {
		if typeName(v.Type()) == "net/http.Request" {
			return true
		}
	}
	return false
}

// search walks breadth first from the roots over the given edges and returns,
// for everything that is reached, the step before it on a shortest way.
func search(roots []string, skip func(string) bool, edges ...map[string][]string) map[string]string {
	parent := map[string]string{}
	var queue []string
	for _, root := range slices.Sorted(slices.Values(roots)) {
		if _, ok := parent[root]; !ok && !skip(root) {
			parent[root] = root
			queue = append(queue, root)
		}
	}
	for len(queue) > 0 {
		from := queue[0]
		queue = queue[1:]
		for _, e := range edges {
			for _, to := range e[from] {
				if _, ok := parent[to]; !ok && !skip(to) {
					parent[to] = from
					queue = append(queue, to)
				}
			}
		}
	}
	return parent
}

// reached tells from where a function is reached, and the way as names for
// people, entry first.
func (r *references) reached(name string) (entry, []string) {
	for kind := range r.parent {
		if _, ok := r.parent[kind][name]; ok {
			return entry(kind), r.way(r.parent[kind], name)
		}
	}
	return notReached, nil
}

func (r *references) way(parent map[string]string, name string) []string {
	way := []string{r.labelOf(name)}
	for parent[name] != name {
		name = parent[name]
		way = append(way, r.labelOf(name))
	}
	slices.Reverse(way)
	return way
}

// mayRun tells whether it cannot be ruled out that a function runs outside of
// tests, and mayBeTested whether in tests.
func (r *references) mayRun(name string) bool      { return r.possible[name] != "" }
func (r *references) mayBeTested(name string) bool { return r.tested[name] != "" }

// serves tells whether a function is reached from one that is given a request.
func (r *references) serves(name string) bool { return r.served[name] != "" }
