package analyzers

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// behaviour finds the methods that a call of an interface's method can be. It
// compares names and signatures as text: the types that two loads of a package
// make are not identical for the type checker.
type behaviour struct {
	calls   map[string]*types.Func   // methods of interfaces that are called, by full name
	methods map[string][]*types.Func // declared methods by their own name
	sets    map[string]map[string]string
}

func newBehaviour() *behaviour {
	return &behaviour{calls: map[string]*types.Func{}, methods: map[string][]*types.Func{}, sets: map[string]map[string]string{}}
}

func (b *behaviour) addCall(fn *types.Func) { b.calls[fn.FullName()] = fn }
func (b *behaviour) addMethod(fn *types.Func) {
	b.methods[fn.Name()] = append(b.methods[fn.Name()], fn)
}

// implementations calls step for each method of an interface and each method
// that it can be.
func (b *behaviour) implementations(step func(from, to string)) {
	for name, called := range b.calls {
		iface, ok := called.Signature().Recv().Type().Underlying().(*types.Interface)
		if !ok {
			continue
		}
		for _, method := range b.methods[called.Name()] {
			if named := receiver(method); named != nil && b.implements(named, iface) {
				step(name, method.FullName())
			}
		}
	}
}

func (b *behaviour) implements(named *types.Named, iface *types.Interface) bool {
	if named.TypeParams().Len() > 0 {
		return false // its methods' signatures depend on the instance
	}
	has := b.set(named)
	for m := range iface.Methods() {
		if has[m.Name()] != signature(m) {
			return false
		}
	}
	return true
}

// set is the signatures of the methods of a pointer to a type, by name.
func (b *behaviour) set(named *types.Named) map[string]string {
	key := named.Obj().Pkg().Path() + "." + named.Obj().Name()
	if b.sets[key] == nil {
		b.sets[key] = map[string]string{}
		for sel := range types.NewMethodSet(types.NewPointer(named)).Methods() {
			b.sets[key][sel.Obj().Name()] = signature(sel.Obj().(*types.Func))
		}
	}
	return b.sets[key]
}

// handsOver adds the steps to the methods of a value that a call or a literal
// takes as an interface: whoever gets it, such as sort.Sort, calls them.
func (r *references) handsOver(pkg *packages.Package, from string, n ast.Node) {
	info := pkg.TypesInfo
	switch n := n.(type) {
	case *ast.CallExpr:
		sig, ok := types.Unalias(info.TypeOf(n.Fun)).(*types.Signature)
		for i := 0; ok && i < min(len(n.Args), sig.Params().Len()); i++ {
			r.asInterface(from, info.TypeOf(n.Args[i]), sig.Params().At(i).Type())
		}
	case *ast.CompositeLit:
		for _, element := range n.Elts {
			if pair, ok := element.(*ast.KeyValueExpr); ok {
				if field, ok := pair.Key.(*ast.Ident); ok && info.ObjectOf(field) != nil {
					r.asInterface(from, info.TypeOf(pair.Value), info.ObjectOf(field).Type())
				}
			}
		}
	}
}

func (r *references) asInterface(from string, value, target types.Type) {
	if value == nil || types.IsInterface(value) {
		return
	}
	iface, ok := target.Underlying().(*types.Interface)
	if !ok {
		return
	}
	methods := types.NewMethodSet(value)
	for m := range iface.Methods() {
		if sel := methods.Lookup(m.Pkg(), m.Name()); sel != nil {
			fn := sel.Obj().(*types.Func).Origin()
			r.label(fn.FullName(), fn)
			r.step(from, fn.FullName())
		}
	}
}

// signature is the types that a function takes and returns.
func signature(fn *types.Func) string {
	var s strings.Builder
	for _, tuple := range []*types.Tuple{fn.Signature().Params(), fn.Signature().Results()} {
		s.WriteString("(")
		for v := range tuple.Variables() {
			s.WriteString(types.TypeString(v.Type(), nil) + ",")
		}
		s.WriteString(")")
	}
	if fn.Signature().Variadic() {
		s.WriteString("...")
	}
	return s.String()
}

// unseenNames tells the names that code of a package uses which is not loaded:
// files that build constraints leave out, and assembly, which may use any.
func unseenNames(pkg *packages.Package) func(name string) bool {
	if hasAssembly(pkg) {
		return func(string) bool { return true }
	}
	names := map[string]bool{}
	for _, file := range pkg.IgnoredFiles {
		if filepath.Ext(file) != ".go" {
			continue
		}
		src, err := os.ReadFile(file)
		if err != nil {
			return func(string) bool { return true }
		}
		addIdentifiers(names, src)
	}
	return func(name string) bool { return names[name] }
}

// addIdentifiers adds every identifier of a source file, whether or not it
// parses.
func addIdentifiers(names map[string]bool, src []byte) {
	var s scanner.Scanner
	fset := token.NewFileSet()
	s.Init(fset.AddFile("", -1, len(src)), src, nil, 0)
	for {
		_, tok, text := s.Scan()
		if tok == token.EOF {
			return
		}
		if tok == token.IDENT {
			names[text] = true
		}
	}
}

// importedUnseen tells whether a Go file below the root that is in no loaded
// package imports path.
func (p *program) importedUnseen(path string) bool {
	for _, imports := range p.unseen() {
		if slices.Contains(imports, path) {
			return true
		}
	}
	return false
}

// unseenImports lists what the Go files import that are in no loaded package,
// since they are for another system, say.
func (p *program) unseenImports() map[string][]string {
	found := map[string][]string{}
	p.eachGoFile(func(rel string) {
		if p.files[rel] != nil {
			return
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.root, filepath.FromSlash(rel)), nil, parser.ImportsOnly)
		if f == nil || err != nil && len(f.Imports) == 0 {
			return
		}
		for _, spec := range f.Imports {
			found[rel] = append(found[rel], strings.Trim(spec.Path.Value, "`\""))
		}
	})
	return found
}

// hasAssembly tells whether a package has code in assembly, for this system or
// another. It may call any function.
func hasAssembly(pkg *packages.Package) bool {
	return slices.ContainsFunc(slices.Concat(pkg.OtherFiles, pkg.IgnoredFiles), func(f string) bool { return filepath.Ext(f) == ".s" })
}
