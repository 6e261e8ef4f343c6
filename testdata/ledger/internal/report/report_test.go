package report

import (
	"bytes"
	"crypto/sha256"
	"strings"
	"testing"
	"time"

	"example.com/ledger/internal/store"
)

var day = time.Date(2026, 3, 31, 23, 59, 0, 0, time.UTC)

func TestSummariseKeepsFeesApart(t *testing.T) {
	from, to := Month(2026, time.March)
	if day.Before(from) || !day.Before(to) {
		t.Fatalf("%v is not in [%v, %v)", day, from, to)
	}
	s := Summarise(from, []store.Entry{
		{Account: "acc_shop", Amount: -41_00, Fee: 1_00, At: day},
		{Account: "acc_shop", Amount: 100_00, At: day},
	})
	if got, want := s.Accounts["acc_shop"], (Totals{Credits: 100_00, Debits: 40_00, Fees: 1_00}); got != want {
		t.Errorf("totals are %+v, want %+v", got, want)
	}
	if text := s.Text(); !strings.Contains(text, "March 2026") || !strings.Contains(text, "acc_shop") {
		t.Errorf("text is %s", text)
	}
}

func TestSettlementHoldsCreditsOnly(t *testing.T) {
	file, err := Settlement([]store.Entry{
		{Account: "acc_shop", Amount: 258, At: time.Unix(1, 0)},
		{Account: "acc_buyer", Amount: -258, At: time.Unix(1, 0)},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := "acc_shop            \x00\x00\x01\x02\x00\x00\x00\x00\x00\x00\x00\x01"
	digest := sha256.Sum256([]byte(want))
	if !bytes.Equal(file, append([]byte(want), digest[:]...)) {
		t.Errorf("file is %q", file)
	}
}

func TestSettlementRefusesLongIDs(t *testing.T) {
	_, err := Settlement([]store.Entry{{Account: strings.Repeat("x", accountWidth+1), Amount: 1}})
	if err == nil {
		t.Error("no error for an id of 21 bytes")
	}
}
