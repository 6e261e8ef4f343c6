package worker

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"time"

	"example.com/ledger/internal/store"
)

const (
	pollTimeout = 30 * time.Second
	batchBytes  = 1 << 20
	maxAttempts = 6
	baseDelay   = 200 * time.Millisecond
	maxDelay    = 10 * time.Second
)

// Outbox is where the events come from.
type Outbox interface {
	PendingEvents(ctx context.Context, maxBytes int) ([]store.Event, error)
	MarkDelivered(ctx context.Context, id int64) error
}

// Deliverer brings one event to its receiver.
type Deliverer interface {
	Deliver(ctx context.Context, url string, payload []byte) error
}

// Dispatcher polls the outbox and delivers what it finds, a few events at a time. An event that fails stays in the
// outbox and is tried again at a later poll.
type Dispatcher struct {
	Outbox   Outbox
	Client   Deliverer
	Pool     *Pool
	Interval time.Duration
	Log      *slog.Logger
}

// Run polls until ctx ends and the deliveries that are under way are finished.
func (d *Dispatcher) Run(ctx context.Context) {
	ticker := time.NewTicker(d.Interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			d.poll(ctx)
		}
	}
}

// poll returns when its events are dealt with: the next poll would find those that are still under way again.
func (d *Dispatcher) poll(ctx context.Context) {
	pollCtx, _ := context.WithTimeout(ctx, pollTimeout)
	events, err := d.Outbox.PendingEvents(pollCtx, batchBytes)
	if err != nil {
		d.Log.Error("outbox not read", "error", err)
		return
	}
	for _, event := range events {
		if !d.Pool.Go(ctx, func(ctx context.Context) { d.deliver(ctx, event) }) {
			break
		}
	}
	d.Pool.Wait()
}

func (d *Dispatcher) deliver(ctx context.Context, event store.Event) {
	for attempt := range maxAttempts {
		err := d.Client.Deliver(ctx, event.URL, event.Payload)
		if err == nil {
			break
		}
		d.Log.Warn("event not delivered", "event", event.ID, "attempt", attempt+1, "error", err)
		if attempt == maxAttempts-1 || !pause(ctx, delay(attempt)) {
			return
		}
	}
	if err := d.Outbox.MarkDelivered(ctx, event.ID); err != nil {
		d.Log.Error("delivery not recorded", "event", event.ID, "error", err)
	}
}

// delay doubles with each attempt. Half of it is random, so that partners who come back are not hit by all events at once.
func delay(attempt int) time.Duration {
	d := min(baseDelay<<attempt, maxDelay)
	return d/2 + time.Duration(rand.Int64N(int64(d/2)))
}

func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
