package phases

import (
	"fmt"
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
	for i, t := range recon.TechStack {
		ps.exists(c.Tree, fmt.Sprintf("/techStack/%d/source", i), t.Source)
	}
	for i, b := range recon.TrustBoundaries {
		for j, f := range b.Files {
			ps.exists(c.Tree, fmt.Sprintf("/trustBoundaries/%d/files/%d", i, j), f)
		}
	}
	return ps
}

func (ps *problems) exists(t *Tree, at, file string) {
	if err := t.Exists(file); err != nil {
		ps.add(at, "%v", err)
	}
}

// about cuts a recon down to what concerns some files, so that the size of an
// assignment depends on its chunk and not on the repository.
func about(recon *artifacts.Recon, files []string) *artifacts.Recon {
	if recon == nil {
		return nil
	}
	in := set(files)
	keep := func(tier []artifacts.TieredFile) []artifacts.TieredFile {
		kept := []artifacts.TieredFile{}
		for _, f := range tier {
			if in[f.Path] {
				kept = append(kept, f)
			}
		}
		return kept
	}
	cut := *recon
	t := recon.Files
	cut.Files = artifacts.Tiers{
		Critical: keep(t.Critical), High: keep(t.High), Medium: keep(t.Medium),
		Low: keep(t.Low), ContextOnly: keep(t.ContextOnly),
	}
	cut.TrustBoundaries = []artifacts.TrustBoundary{}
	for _, b := range recon.TrustBoundaries {
		if slices.ContainsFunc(b.Files, func(f string) bool { return in[f] }) {
			b.Files = slices.DeleteFunc(slices.Clone(b.Files), func(f string) bool { return !in[f] })
			cut.TrustBoundaries = append(cut.TrustBoundaries, b)
		}
	}
	return &cut
}
