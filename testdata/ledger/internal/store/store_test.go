package store

import (
	"database/sql/driver"
	"errors"
	"testing"
	"time"

	"example.com/ledger/internal/ledgertest"
	"example.com/ledger/internal/money"
)

func TestPostTransferChargesTheFee(t *testing.T) {
	payer := ledgertest.AccountID()
	s := New(ledgertest.OpenDB(t, ledgertest.Script{
		"FROM accounts": {{payer, "Ada", int64(500_00), int64(0)}},
	}), money.Standard)

	transfer := &Transfer{ID: "tr_1", From: payer, To: "acc_shop", Amount: 200_00}
	if err := s.PostTransfer(t.Context(), transfer); err != nil {
		t.Fatal(err)
	}
	if transfer.Fee != 1_80 {
		t.Errorf("fee is %v, want 1.80", transfer.Fee)
	}
	var sum money.Amount
	for _, e := range entriesOf(transfer) {
		sum += e.Amount
	}
	if sum != 0 {
		t.Errorf("entries sum to %v", sum)
	}
}

func TestPostTransferRefuses(t *testing.T) {
	for want, row := range map[error][]driver.Value{
		ErrInsufficientFunds: {"acc_1", "Ada", int64(200_00), int64(0)},
		ErrNotOpen:           {"acc_1", "Ada", int64(500_00), int64(1)},
	} {
		s := New(ledgertest.OpenDB(t, ledgertest.Script{"FROM accounts": {row}}), money.Standard)
		err := s.PostTransfer(t.Context(), &Transfer{From: "acc_1", To: "acc_2", Amount: 200_00})
		if !errors.Is(err, want) {
			t.Errorf("error is %v, want %v", err, want)
		}
	}
}

func TestUnknownAccountAndKey(t *testing.T) {
	s := New(ledgertest.OpenDB(t, nil), money.Standard)
	if _, err := s.Account(t.Context(), "acc_404"); !errors.Is(err, ErrNotFound) {
		t.Errorf("error is %v, want ErrNotFound", err)
	}
	if got, err := s.TransferByKey(t.Context(), "never-used"); got != nil || err != nil {
		t.Errorf("TransferByKey = %v, %v; want nothing", got, err)
	}
}

func TestPendingEventsStopAtTheirSize(t *testing.T) {
	s := New(ledgertest.OpenDB(t, ledgertest.Script{
		"FROM outbox": {
			{int64(1), "https://a.example/hook", []byte("12345678")},
			{int64(2), "https://b.example/hook", []byte("12345678")},
		},
	}), money.Standard)
	events, err := s.PendingEvents(t.Context(), 100)
	if err != nil || len(events) != 2 || events[1].ID != 2 {
		t.Errorf("PendingEvents = %v, %v", events, err)
	}
}

func TestEntries(t *testing.T) {
	at := time.Date(2026, 3, 5, 12, 0, 0, 0, time.UTC)
	s := New(ledgertest.OpenDB(t, ledgertest.Script{
		"FROM entries": {{"tr_1", "acc_1", int64(-5_00), int64(1_00), at}},
	}), money.Standard)
	entries, err := s.Entries(t.Context(), at, at.AddDate(0, 1, 0))
	want := Entry{TransferID: "tr_1", Account: "acc_1", Amount: -5_00, Fee: 1_00, At: at}
	if err != nil || len(entries) != 1 || entries[0] != want {
		t.Errorf("Entries = %v, %v", entries, err)
	}
}

func TestStatusNames(t *testing.T) {
	if got := Frozen.String() + " " + Status(9).String(); got != "frozen Status(9)" {
		t.Errorf("names are %q", got)
	}
}
