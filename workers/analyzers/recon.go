package analyzers

import (
	"cmp"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"

	"golang.org/x/mod/modfile"

	"bughunter/artifacts"
	"bughunter/scope"
)

func languageOf(file string) string { return scope.Language(file) }

// recon puts the files of an assignment into tiers by path and content, reads
// the technology from the manifests beside them, and finds trust boundaries by
// what the code calls.
func recon(a *artifacts.Assignment) (*artifacts.Recon, error) {
	r := &artifacts.Recon{
		SchemaVersion: artifacts.SchemaVersion,
		Files: artifacts.Tiers{
			Critical: []artifacts.TieredFile{}, High: []artifacts.TieredFile{}, Medium: []artifacts.TieredFile{},
			Low: []artifacts.TieredFile{}, ContextOnly: []artifacts.TieredFile{},
		},
		TechStack: []artifacts.Technology{}, TrustBoundaries: []artifacts.TrustBoundary{}, Notes: []string{},
	}
	tiers := map[scope.Tier]*[]artifacts.TieredFile{
		scope.Critical: &r.Files.Critical, scope.High: &r.Files.High, scope.Medium: &r.Files.Medium,
		scope.Low: &r.Files.Low, scope.ContextOnly: &r.Files.ContextOnly,
	}
	boundaries := map[string][]string{}
	for _, f := range a.Files {
		content, err := os.ReadFile(filepath.Join(a.Root, filepath.FromSlash(f)))
		if err != nil {
			return nil, err
		}
		tier, reason := scope.Triage(f, content)
		*tiers[tier] = append(*tiers[tier], artifacts.TieredFile{Path: f, Reason: reason})
		text := scope.NewText(content)
		for _, b := range boundaryKinds {
			if b.mark.In(text) {
				boundaries[b.name] = append(boundaries[b.name], f)
			}
		}
	}
	for _, b := range boundaryKinds {
		if files := boundaries[b.name]; len(files) > 0 {
			r.TrustBoundaries = append(r.TrustBoundaries, artifacts.TrustBoundary{Name: b.name, Description: b.what, Files: files})
		}
	}
	r.TechStack = append(r.TechStack, technologies(a)...)
	r.Notes = append(r.Notes, fmt.Sprintf("Risk was judged by program, from the path and content of each of %d files.", len(a.Files)))
	return r, nil
}

// boundaryKinds are the places where data from elsewhere comes in, and what
// in Go code shows them.
var boundaryKinds = []struct {
	name, what string
	mark       *scope.Pattern
}{
	{"HTTP requests", "Reads what any client sends.", scope.NewPattern(`\*http\.Request\b`, "http.request")},
	{"Network connections", "Accepts connections.", scope.NewPattern(`net\.Listen|\.Accept\(\)`, "net.listen .accept()")},
	{"Answers of other services", "Trusts what another service answers.", scope.NewPattern(`http\.(Get|Post|NewRequest|Client)|net\.Dial`, "http. net.dial")},
	{"Database", "Sends queries and trusts what is stored.", scope.NewPattern(`"database/sql"`, "database/sql")},
	{"Other programs", "Starts programs and reads what they print.", scope.NewPattern(`"os/exec"`, "os/exec")},
	{"Environment and arguments", "Is configured by whoever starts it.", scope.NewPattern(`os\.(Getenv|LookupEnv|Args)|\bflag\.(String|Int|Bool|Parse)`, "os. flag.")},
	{"Files", "Reads files that others may have written.", scope.NewPattern(`os\.(Open|ReadFile)\(`, "os.open os.readfile")},
}

// technologies reads the manifests in the folders of the files and above.
func technologies(a *artifacts.Assignment) []artifacts.Technology {
	folders := map[string]bool{".": true}
	for _, f := range a.Files {
		for dir := path.Dir(f); dir != "."; dir = path.Dir(dir) {
			folders[dir] = true
		}
	}
	var found []artifacts.Technology
	for dir := range folders {
		entries, err := os.ReadDir(filepath.Join(a.Root, filepath.FromSlash(dir)))
		if err != nil {
			continue // it cannot be read, which fails where the queue is made
		}
		for _, e := range entries {
			name := path.Join(dir, e.Name())
			if technology := scope.Manifest(name); technology != "" && e.Type().IsRegular() {
				found = append(found, artifacts.Technology{Name: technology, Source: name})
			}
		}
	}
	for _, t := range slices.Clone(found) {
		if path.Base(t.Source) == "go.mod" {
			found = append(found, requirements(a.Root, t.Source)...)
		}
	}
	slices.SortFunc(found, func(x, y artifacts.Technology) int {
		return cmp.Or(cmp.Compare(x.Source, y.Source), cmp.Compare(x.Name, y.Name))
	})
	return found
}

// requirements lists the language version and direct dependencies of a module.
func requirements(root, manifest string) (found []artifacts.Technology) {
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(manifest)))
	if err != nil {
		return nil
	}
	mod, err := modfile.ParseLax(manifest, data, nil)
	if err != nil {
		return nil // the load fails with the reason
	}
	if mod.Go != nil {
		found = append(found, artifacts.Technology{Name: "Go language", Version: mod.Go.Version, Source: manifest})
	}
	for _, r := range mod.Require {
		if !r.Indirect {
			found = append(found, artifacts.Technology{Name: r.Mod.Path, Version: r.Mod.Version, Source: manifest})
		}
	}
	return found
}
