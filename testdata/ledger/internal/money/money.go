// Package money holds amounts in minor units and the fees charged on them.
//
// Floating point is used nowhere: an [Amount] is a whole number of cents, and fees are rounded half up to a cent.
package money

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Amount is a sum in minor units, negative for money that leaves an account.
type Amount int64

// ErrSyntax is wrapped by the errors of [Parse].
var ErrSyntax = errors.New("not an amount")

// Parse reads an amount such as "12", "12.5" or "-0.07". It refuses more than two decimals rather than rounding them, and
// anything of 2^48 cents or more, so that sums and fees cannot overflow.
func Parse(s string) (Amount, error) {
	digits, negative := strings.CutPrefix(strings.TrimSpace(s), "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	if whole == "" || len(fraction) > 2 {
		return 0, fmt.Errorf("%w: %q", ErrSyntax, s)
	}
	fraction += strings.Repeat("0", 2-len(fraction))
	cents, err := strconv.ParseUint(whole+fraction, 10, 48)
	if err != nil {
		return 0, fmt.Errorf("%w: %q", ErrSyntax, s)
	}
	if negative {
		return -Amount(cents), nil
	}
	return Amount(cents), nil
}

// String is the inverse of [Parse]: always two decimals, no thousands separator.
func (a Amount) String() string {
	sign := ""
	if a < 0 {
		sign, a = "-", -a
	}
	return fmt.Sprintf("%s%d.%02d", sign, a/100, a%100)
}

// Tier is one step of a fee schedule: it covers amounts up to and including UpTo. Zero stands for no upper end.
type Tier struct {
	UpTo        Amount
	BasisPoints int64
	Fixed       Amount
}

// Schedule is a list of tiers by rising UpTo, the last of them without an upper end.
type Schedule []Tier

// Standard is the schedule of the public price list: 1.00 up to 100.00, then 0.9 %, and 0.5 % above 5 000.00.
var Standard = Schedule{
	{UpTo: 100_00, Fixed: 1_00},
	{UpTo: 5_000_00, BasisPoints: 90},
	{BasisPoints: 50},
}

// Fee returns what the payer of a is charged on top of it. An empty schedule charges nothing.
func (s Schedule) Fee(a Amount) Amount {
	for _, tier := range s {
		if tier.UpTo == 0 || a < tier.UpTo {
			return tier.Fixed + basisPoints(a, tier.BasisPoints)
		}
	}
	return 0
}

func basisPoints(a Amount, points int64) Amount {
	return (a*Amount(points) + 5_000) / 10_000
}
