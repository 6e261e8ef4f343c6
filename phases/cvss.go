package phases

import (
	"fmt"
	"strings"

	cvss31 "github.com/pandatix/go-cvss/31"
	cvss40 "github.com/pandatix/go-cvss/40"
)

// cvssScore computes the base score, 0 to 10, that follows from a CVSS 3.1 or
// 4.0 vector (https://www.first.org/cvss/).
func cvssScore(vector string) (float64, error) {
	if strings.HasPrefix(vector, "CVSS:4.0/") {
		v, err := cvss40.ParseVector(vector)
		if err != nil {
			return 0, fmt.Errorf("%q is not a CVSS 4.0 vector: %w", vector, err)
		}
		// The metrics of the base come first, and SA is the last of them. The
		// library scores what follows as well.
		if i := strings.Index(vector, "/SA:") + len("/SA:N"); i < len(vector) {
			return cvssScore(vector[:i])
		}
		return v.Score(), nil
	}
	v, err := cvss31.ParseVector(vector)
	if err != nil {
		return 0, fmt.Errorf("%q is not a CVSS 3.1 vector: %w", vector, err)
	}
	return v.BaseScore(), nil
}
