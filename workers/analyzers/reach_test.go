package analyzers

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const app = "example.com/app/v2/"

func referencesOf(t *testing.T) (*program, *references) {
	t.Helper()
	dir := realTemp(t)
	unpack(t, "testdata/references.txtar", dir)
	p, err := load(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return p, newReferences(p)
}

func TestWaysAreChainsOfReferencesThatStandInTheSource(t *testing.T) {
	_, r := referencesOf(t)
	for name, want := range map[string]string{
		"(" + app + "cmd/serve.handler).ServeHTTP": "main: serve.main → (serve.handler).ServeHTTP",
		app + "cmd/serve.order":                    "main: serve.main → (serve.handler).ServeHTTP → (serve.handler).list → serve.order",
		app + "cmd/serve.compare":                  "main: serve.main → (serve.handler).ServeHTTP → (serve.handler).list → serve.order → (serve.byName).Less → serve.compare",
		app + "shop.checked":                       "main: serve.main → (*shop.Shop).Close → (shop.storage).put → (shop.memory).put → shop.checked",
		app + "shop.help":                          "main: shop.init → shop.table → shop.help",
		app + "shop.start":                         "main: the variables of shop → shop.start",
		"(*" + app + "shop.Shop).Exported":         "api: (*shop.Shop).Exported",
		app + "shop.forTests":                      "test: shop.TestShop → shop.forTests",
		app + "shop.inTests":                       "test: shop.TestShop → (*shop.Shop).Close → (shop.storage).put → (shop.tested).put → shop.inTests",
		app + "shop.text":                          "none: ", // fmt may call String, and no line says so
		app + "shop.onlyFake":                      "none: ",
		app + "shop.dead":                          "none: ",
		app + "shop.deader":                        "none: ",
		"unknown":                                  "none: ",
	} {
		kind, way := r.reached(name)
		got := map[entry]string{fromMain: "main", fromAPI: "api", fromTest: "test", notReached: "none"}[kind] + ": " + strings.Join(way, " → ")
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", name, got, want)
		}
	}
}

func TestWhatALibraryMayCallIsNotRuledOut(t *testing.T) {
	_, r := referencesOf(t)
	for name, may := range map[string]bool{
		app + "shop.text":     true,
		app + "shop.onlyFake": true, // any method of the name
		app + "shop.checked":  true,
		app + "shop.dead":     false,
		app + "shop.deader":   false,
		app + "shop.forTests": false,
		app + "shop.inTests":  false,
	} {
		if r.mayRun(name) != may {
			t.Errorf("mayRun(%s) = %v, want %v", name, !may, may)
		}
	}
	if !r.mayBeTested(app + "shop.forTests") {
		t.Error("a function that a test calls is not tested")
	}
}

func TestWhatServesARequestIsReachedFromOutside(t *testing.T) {
	_, r := referencesOf(t)
	for name, serves := range map[string]bool{
		app + "cmd/serve.compare": true,
		app + "cmd/serve.main":    false,
		app + "shop.checked":      false,
	} {
		if r.serves(name) != serves {
			t.Errorf("serves(%s) = %v, want %v", name, !serves, serves)
		}
	}
}

func TestWaysAreTheSameInEveryRun(t *testing.T) {
	p, first := referencesOf(t)
	for range 20 {
		again := newReferences(p)
		for kind := range first.parent {
			if diff := cmp.Diff(first.parent[kind], again.parent[kind]); diff != "" {
				t.Fatalf("ways of kind %d (-first +again):\n%s", kind, diff)
			}
		}
	}
	// Every step of every way is a reference.
	for _, parent := range first.parent {
		for _, to := range slices.Sorted(maps.Keys(parent)) {
			if from := parent[to]; from != to && !slices.Contains(first.steps[from], to) {
				t.Errorf("%s is said to be reached from %s, which does not refer to it", to, from)
			}
		}
	}
}

func TestSymbolsOfTheLinkerAreNamedAsTheTypeCheckerDoes(t *testing.T) {
	for symbol, want := range map[string]string{
		"a/b.c.F":              "(a/b.c).F",
		"example.com/a.F":      "example.com/a.F",
		"example.com/a.(*T).M": "(*example.com/a.T).M",
		"example.com/a.T.M":    "(example.com/a.T).M",
		"main.F":               "main.F",
		"F":                    "F.",
	} {
		if got := symbolName(symbol); got != want {
			t.Errorf("symbolName(%q) = %q, want %q", symbol, got, want)
		}
	}
}
