// Package worker delivers the outbox in the background.
package worker

import (
	"context"
	"sync"
)

// Pool runs a bounded number of jobs at a time.
type Pool struct {
	slots chan struct{}
	wg    sync.WaitGroup
}

// NewPool returns a pool for at most size jobs at a time.
func NewPool(size int) *Pool {
	return &Pool{slots: make(chan struct{}, size)}
}

// Go starts a job as soon as a slot is free. It reports false, without starting it, when ctx ends first.
func (p *Pool) Go(ctx context.Context, job func(context.Context)) bool {
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return false
	}
	go func() {
		p.wg.Add(1)
		defer p.wg.Done()
		defer func() { <-p.slots }()
		job(ctx)
	}()
	return true
}

// Wait returns when every job that was started has finished.
func (p *Pool) Wait() {
	p.wg.Wait()
}
