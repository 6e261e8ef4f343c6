package phases

import (
	"context"

	"bughunter/artifacts"
)

// runChunk takes a case through hunter, skeptic and referee, and leaves the
// three artifacts in the chunk's store.
func (r *Runner) runChunk(ctx context.Context, c *Case, store *artifacts.Store) error {
	for _, p := range []*Phase{Hunter, Skeptic, Referee} {
		if err := r.Run(ctx, p, c, store.Path(p.Artifact)); err != nil {
			return err
		}
	}
	return nil
}
