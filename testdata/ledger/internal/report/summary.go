// Package report turns entries into the monthly summary and the settlement file.
package report

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"example.com/ledger/internal/money"
	"example.com/ledger/internal/store"
)

// Totals is what happened to one account. Fees are what it was charged, a positive amount.
type Totals struct {
	Credits money.Amount
	Debits  money.Amount
	Fees    money.Amount
}

// Net is what the account gained after debits and fees, negative when it lost.
func (t Totals) Net() money.Amount {
	return t.Credits - t.Debits + t.Fees
}

// Summary is the totals of all accounts over a month.
type Summary struct {
	Month    time.Time
	Accounts map[string]Totals
}

// Month returns the first instant of a month and of the next one.
func Month(year int, month time.Month) (from, to time.Time) {
	from = time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
	return from, from.AddDate(0, 1, 0)
}

// Summarise adds up entries. The fee is part of the payer's entry in the books and is shown beside its debits here.
func Summarise(month time.Time, entries []store.Entry) Summary {
	accounts := make(map[string]Totals)
	for _, e := range entries {
		totals := accounts[e.Account]
		if e.Amount >= 0 {
			totals.Credits += e.Amount
		} else {
			totals.Debits += -e.Amount - e.Fee
		}
		totals.Fees += e.Fee
		accounts[e.Account] = totals
	}
	return Summary{Month: month, Accounts: accounts}
}

// Text is the summary as a table, one account per line in the order of their ids.
func (s Summary) Text() string {
	ids := make([]string, 0, len(s.Accounts))
	for id := range s.Accounts {
		ids = append(ids, id)
	}
	ids = sort.StringSlice(ids)

	var b strings.Builder
	b.WriteString("Summary of " + s.Month.Format("January 2006") + "\n\n")
	fmt.Fprintf(&b, "%-16s %14s %14s %12s %14s\n", "account", "credits", "debits", "fees", "net")
	for _, id := range ids {
		t := s.Accounts[id]
		fmt.Fprintf(&b, "%-16s %14v %14v %12v %14v\n", id, t.Credits, t.Debits, t.Fees, t.Net())
	}
	return b.String()
}
