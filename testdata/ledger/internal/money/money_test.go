package money

import (
	"errors"
	"testing"
)

func TestParseAndString(t *testing.T) {
	for in, want := range map[string]string{
		"12":     "12.00",
		"12.5":   "12.50",
		" 0.07 ": "0.07",
		"-3.10":  "-3.10",
	} {
		got, err := Parse(in)
		if err != nil || got.String() != want {
			t.Errorf("Parse(%q) = %v, %v; want %s", in, got, err, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, in := range []string{"", ".", "1.234", "1,50", "--1", "1e3", "99999999999999999999"} {
		if got, err := Parse(in); !errors.Is(err, ErrSyntax) {
			t.Errorf("Parse(%q) = %v, %v; want ErrSyntax", in, got, err)
		}
	}
}

func TestStandardFees(t *testing.T) {
	for _, c := range []struct{ amount, fee Amount }{
		{40_00, 1_00},
		{1_000_00, 9_00},
		{20_000_00, 100_00},
	} {
		if got := Standard.Fee(c.amount); got != c.fee {
			t.Errorf("fee of %v = %v, want %v", c.amount, got, c.fee)
		}
	}
}
