package phases

import (
	"context"

	"bughunter/artifacts"
	"bughunter/schemas"
)

// runChunk takes a case through hunter, skeptic and referee, and leaves the
// three artifacts in the chunk's store. Where the hunter found nothing there
// is nothing to answer, and the other two are not asked.
func (r *Runner) runChunk(ctx context.Context, c *Case, store *artifacts.Store) error {
	if err := r.Run(ctx, Hunter, c, store.Path(schemas.Findings)); err != nil {
		return err
	}
	if len(c.Findings) == 0 {
		c.Challenges, c.Verdicts = []artifacts.Challenge{}, []artifacts.Verdict{}
		if err := store.Write(schemas.Skeptic, c.Challenges); err != nil {
			return err
		}
		return store.Write(schemas.Referee, c.Verdicts)
	}
	for _, p := range []*Phase{Skeptic, Referee} {
		if err := r.Run(ctx, p, c, store.Path(p.Artifact)); err != nil {
			return err
		}
	}
	return nil
}
