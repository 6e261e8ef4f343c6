package phases

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"bughunter/scope"
	"bughunter/workers"
)

// ErrNothingToDo is returned when there are no files for a phase.
var ErrNothingToDo = errors.New("there is nothing to hunt in")

// FindFiles gives a case the files that a phase by itself is about: all that
// can be hunted for recon, those of recon for the hunter, and for the others
// those that the findings are in.
func (c *Case) FindFiles(ctx context.Context, p *Phase, chosen map[string]workers.Worker, stateDir string) error {
	switch p {
	case Recon:
		found, err := scope.Walk(c.Tree.Root, nil, stateDir)
		if err != nil {
			return err
		}
		if _, err := exclude(ctx, chosen[Hunter.Name], c.Tree.Root, found); err != nil {
			return err
		}
		if len(found.Unreadable) > 0 {
			return fmt.Errorf("%s cannot be read: %w", found.Unreadable[0].Path, found.Unreadable[0].Err)
		}
		c.Files = ids(found.Files, func(f scope.File) string { return f.Path })
	case Hunter:
		c.Files = order(c.Recon)
	default:
		if err := c.checkFindings(); err != nil {
			return err
		}
		for _, f := range c.Findings {
			c.Files = append(c.Files, f.File)
		}
		slices.Sort(c.Files)
		c.Files = slices.Compact(c.Files)
	}
	if len(c.Files) == 0 && (p == Recon || p == Hunter) {
		return fmt.Errorf("%w: no source file that the worker knows is below %s", ErrNothingToDo, c.Tree.Root)
	}
	return nil
}

// checkFindings checks that findings, which anybody may have brought, are about
// code that is there, before a worker is asked about them.
func (c *Case) checkFindings() error {
	var ps problems
	ps.checkClaims(c.Tree, claims(c.Findings))
	if len(ps) == 0 {
		return nil
	}
	const shown = 5
	text := strings.Join(lines(ps[:min(len(ps), shown)]), "; ")
	if more := len(ps) - shown; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return fmt.Errorf("the findings do not fit the repository: %s", text)
}
