package phases

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"bughunter/artifacts"
	"bughunter/schemas"
)

// Recon looks at the queue as a whole. It puts every file into a tier of risk,
// and says what the project is made of and where trust changes hands. It
// orders the hunt; what is hunted was decided before it.
var Recon = &Phase{
	Name:     "recon",
	Artifact: schemas.Recon,
	assign:   func(*Case, *artifacts.Assignment) {},
	accept:   acceptRecon,
}

func acceptRecon(c *Case, reply []byte) (answer, []schemas.Problem) {
	recon, ps := decode[*artifacts.Recon](reply)
	if ps == nil {
		ps = checkRecon(c, recon)
	}
	if len(ps) > 0 {
		return answer{}, ps
	}
	c.Recon = recon
	return answer{value: recon, items: len(c.Files)}, nil
}

// checkRecon checks that each file stands in exactly one tier, and that what
// is said of the others is about files that exist.
func checkRecon(c *Case, recon *artifacts.Recon) problems {
	var ps problems
	tierOf := map[string]string{}
	assigned := set(c.Files)
	for _, tier := range recon.Files.All() {
		for i, f := range tier.Files {
			at := fmt.Sprintf("/files/%s/%d/path", tier.Name, i)
			if first, ok := tierOf[f.Path]; ok {
				ps.add(at, "%q is in tier %s already; put each file into one tier", f.Path, first)
				continue
			}
			tierOf[f.Path] = tier.Name
			if !assigned[f.Path] {
				ps.add(at, "%q is not a file of the assignment", f.Path)
			}
		}
	}
	for _, f := range c.Files {
		if tierOf[f] == "" {
			ps.add("/files", "%q is in no tier; put it into one", f)
		}
	}
	ps.checkSources(c.Tree, "", recon)
	return ps
}

// checkSources checks that the files which a recon refers to exist.
func (ps *problems) checkSources(t *Tree, prefix string, recon *artifacts.Recon) {
	for i, tech := range recon.TechStack {
		ps.exists(t, fmt.Sprintf("%s/techStack/%d/source", prefix, i), tech.Source)
	}
	for i, b := range recon.TrustBoundaries {
		for j, f := range b.Files {
			ps.exists(t, fmt.Sprintf("%s/trustBoundaries/%d/files/%d", prefix, i, j), f)
		}
	}
}

func (ps *problems) exists(t *Tree, at, file string) {
	if err := t.Exists(file); err != nil {
		ps.add(at, "%v", err)
	}
}

// excerpts is a recon prepared for being cut down many times, each at a cost
// that depends on the files asked for alone.
type excerpts struct {
	recon      *artifacts.Recon
	places     map[string]tierPlace
	boundaries map[string][]int // by file, which of the recon's trust boundaries
}

// tierPlace is where in which tier a file stands.
type tierPlace struct{ tier, at int }

func newExcerpts(recon *artifacts.Recon) *excerpts {
	e := &excerpts{recon, map[string]tierPlace{}, map[string][]int{}}
	for i, tier := range recon.Files.All() {
		for j, f := range tier.Files {
			e.places[f.Path] = tierPlace{i, j}
		}
	}
	for i, b := range recon.TrustBoundaries {
		for _, f := range b.Files {
			if known := e.boundaries[f]; len(known) == 0 || known[len(known)-1] != i {
				e.boundaries[f] = append(known, i)
			}
		}
	}
	return e
}

// about is the part of the recon that concerns some files, so that the size of
// an assignment depends on its chunk and not on the repository.
func (e *excerpts) about(files []string) *artifacts.Recon {
	var places []tierPlace
	of := map[int][]string{} // by trust boundary, which of the files
	for _, f := range files {
		if p, ok := e.places[f]; ok {
			places = append(places, p)
		}
		for _, b := range e.boundaries[f] {
			of[b] = append(of[b], f)
		}
	}
	slices.SortFunc(places, func(a, b tierPlace) int { return cmp.Or(cmp.Compare(a.tier, b.tier), cmp.Compare(a.at, b.at)) })
	cut := *e.recon
	cut.Files, cut.TrustBoundaries = emptyTiers(), []artifacts.TrustBoundary{}
	t := &cut.Files
	from, to := e.recon.Files.All(), []*[]artifacts.TieredFile{&t.Critical, &t.High, &t.Medium, &t.Low, &t.ContextOnly}
	for _, p := range places {
		*to[p.tier] = append(*to[p.tier], from[p.tier].Files[p.at])
	}
	for _, i := range slices.Sorted(maps.Keys(of)) {
		b := e.recon.TrustBoundaries[i]
		b.Files = of[i]
		cut.TrustBoundaries = append(cut.TrustBoundaries, b)
	}
	return &cut
}

func emptyTiers() artifacts.Tiers {
	none := []artifacts.TieredFile{}
	return artifacts.Tiers{Critical: none, High: none, Medium: none, Low: none, ContextOnly: none}
}
