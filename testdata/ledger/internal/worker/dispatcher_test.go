package worker

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"

	"example.com/ledger/internal/store"
)

type outbox struct{ delivered []int64 }

func (o *outbox) PendingEvents(context.Context, int) ([]store.Event, error) { return nil, nil }

func (o *outbox) MarkDelivered(_ context.Context, id int64) error {
	o.delivered = append(o.delivered, id)
	return nil
}

// flaky refuses the first deliveries.
type flaky struct{ refusals int }

func (f *flaky) Deliver(context.Context, string, []byte) error {
	if f.refusals--; f.refusals >= 0 {
		return errors.New("refused")
	}
	return nil
}

func TestDeliverRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box := &outbox{}
		d := Dispatcher{Outbox: box, Client: &flaky{refusals: maxAttempts - 1}, Log: slog.New(slog.DiscardHandler)}
		d.deliver(t.Context(), store.Event{ID: 7})
		if !slices.Equal(box.delivered, []int64{7}) {
			t.Errorf("delivered %v, want event 7", box.delivered)
		}
	})
}

func TestDeliverStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	box := &outbox{}
	d := Dispatcher{Outbox: box, Client: &flaky{refusals: maxAttempts}, Log: slog.New(slog.DiscardHandler)}
	d.deliver(ctx, store.Event{ID: 7})
	if len(box.delivered) != 0 {
		t.Errorf("delivered %v, want nothing", box.delivered)
	}
}

func TestDelayStaysBounded(t *testing.T) {
	for attempt := range maxAttempts {
		if d := delay(attempt); d < baseDelay/2 || d > maxDelay {
			t.Errorf("delay(%d) = %v", attempt, d)
		}
	}
}
