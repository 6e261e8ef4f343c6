package analyzers

import (
	"context"
	"go/build"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"bughunter/workers"
)

// unexamined returns the files that the analyzers could not look at.
func (p *program) unexamined(files []string) map[string]string {
	out := map[string]string{}
	for _, f := range files {
		switch reason, broken := p.broken[f]; {
		case broken:
			out[f] = reason
		case p.files[f] == nil:
			out[f] = p.whyMissing(f)
		case !p.vetted[f]:
			out[f] = "no analyzer answered for it"
		}
	}
	return out
}

// whyMissing says why a file is in no package.
func (p *program) whyMissing(file string) string {
	if reason, ok := p.folders[path.Dir(file)]; ok {
		return "the go command makes no package of its folder: " + reason
	}
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		mod := path.Join(dir, "go.mod")
		if reason, ok := p.broken[mod]; ok {
			return "its module does not load: " + reason
		}
		if slices.ContainsFunc(p.modules, func(m *module) bool { return p.relative(filepath.Join(m.dir, "go.mod")) == mod }) {
			return "the go command lists it in no package of its module"
		}
		if dir == "." {
			break
		}
	}
	return "it is in no Go module: run `go mod init` there, or use another worker"
}

// The reasons for which the analyzers cannot hunt in a file at all.
const (
	otherLanguage  = "the built-in analyzers know Go only; this is "
	notBuilt       = "left out of the build on this system by build constraints"
	hidden         = "passed over by the go command for a name that begins with . or _"
	outsideOfBuild = "in a folder that the go command passes over"
)

// Exclude tells the files that are not for these analyzers.
func (w *Worker) Exclude(ctx context.Context, root string, files []string) (map[string]workers.Exclusion, error) {
	out := map[string]workers.Exclusion{}
	var goFiles []string
	for _, f := range files {
		if language := languageOf(f); language != "Go" {
			out[f] = workers.Exclusion{
				Reason: otherLanguage + language,
				Remedy: "hunt there with an agent: --worker-cmd 'my-agent {prompt} {output}'",
			}
			continue
		}
		goFiles = append(goFiles, f)
	}
	if len(goFiles) == 0 {
		return out, nil
	}
	p, err := w.load(ctx, root)
	if err != nil {
		return nil, err
	}
	for _, f := range goFiles {
		if p.files[f] != nil || p.broken[f] != "" {
			continue
		}
		switch name := path.Base(f); {
		case passedOver(f):
			out[f] = workers.Exclusion{Reason: outsideOfBuild, Remedy: "name a folder with -C to hunt in it by itself"}
		case strings.HasPrefix(name, "_") || strings.HasPrefix(name, "."):
			out[f] = workers.Exclusion{Reason: hidden, Remedy: "rename it if it is to be built"}
		case p.ignored[f] || p.constrainedAway(f):
			out[f] = workers.Exclusion{Reason: notBuilt, Remedy: "run again with GOOS, GOARCH or GOFLAGS=-tags=… set to what builds them"}
		}
	}
	return out, nil
}

// constrainedAway tells a file that build constraints leave out. The go command
// does not name those in a folder without any other.
func (p *program) constrainedAway(file string) bool {
	env := build.Default
	for _, flag := range strings.Fields(os.Getenv("GOFLAGS")) {
		if tags, ok := strings.CutPrefix(strings.TrimLeft(flag, "-"), "tags="); ok {
			env.BuildTags = strings.Split(tags, ",")
		}
	}
	full := filepath.Join(p.root, filepath.FromSlash(file))
	match, err := env.MatchFile(filepath.Dir(full), filepath.Base(full))
	return err == nil && !match
}

// passedOver tells a file in a folder that ./... does not match.
func passedOver(file string) bool {
	return slices.ContainsFunc(strings.Split(path.Dir(file), "/"), func(name string) bool { return name != "." && skipped(name) })
}

// eachGoFile visits the Go files below the root, wherever they stand.
func (p *program) eachGoFile(visit func(rel string)) {
	_ = filepath.WalkDir(p.root, func(full string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Ext(full) == ".go" {
			visit(p.relative(full))
		}
		return nil // what cannot be read is in no package either
	})
}
