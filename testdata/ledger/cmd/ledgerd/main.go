// Command ledgerd serves the ledger until it is told to stop.
package main

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"example.com/ledger/internal/api"
	"example.com/ledger/internal/auth"
	"example.com/ledger/internal/money"
	"example.com/ledger/internal/store"
	"example.com/ledger/internal/webhook"
	"example.com/ledger/internal/worker"
)

const (
	sessionTTL    = 8 * time.Hour
	shutdownGrace = 20 * time.Second
	deliveries    = 8
)

func main() {
	path := flag.String("config", "/etc/ledger/ledgerd.json", "configuration `file`")
	flag.Parse()
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	if err := run(*path, log); err != nil {
		log.Error("ledgerd failed", "error", err)
		os.Exit(1)
	}
}

func run(path string, log *slog.Logger) error {
	cfg, err := loadConfig(path)
	if err != nil {
		return err
	}
	db, err := sql.Open(cfg.Driver, cfg.DSN)
	if err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	replica, err := sql.Open(cfg.Driver, cfg.ReplicaDSN)
	if err != nil {
		return errors.Join(fmt.Errorf("open replica: %w", err), db.Close())
	}
	return errors.Join(serve(cfg, db, replica, log), replica.Close(), db.Close())
}

// serve runs the HTTP server and the dispatcher until a signal comes, then lets both finish what they are doing.
func serve(cfg *config, db, replica *sql.DB, log *slog.Logger) error {
	books := store.New(db, money.Standard)
	server := &api.Server{
		Store:        books,
		Replica:      replica,
		Operators:    cfg.Operators,
		Sessions:     auth.NewSessions(sessionTTL),
		Verifier:     webhook.Verifier{Keys: [][]byte{cfg.signingKey}},
		StatementDir: cfg.StatementDir,
		Log:          log,
	}
	srv := &http.Server{
		Addr:              cfg.Listen,
		Handler:           server.Handler(),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       15 * time.Second,
		WriteTimeout:      time.Minute,
	}

	ctx, stopDispatcher := context.WithCancel(context.Background())
	defer stopDispatcher()
	dispatcher := &worker.Dispatcher{
		Outbox:   books,
		Client:   webhook.NewClient(cfg.signingKey, webhook.DefaultTimeout),
		Pool:     worker.NewPool(deliveries),
		Interval: cfg.poll,
		Log:      log,
	}
	idle := make(chan struct{})
	go func() {
		defer close(idle)
		dispatcher.Run(ctx)
	}()

	failed := make(chan error, 1)
	go func() { failed <- srv.ListenAndServe() }()
	log.Info("ledgerd listens", "address", cfg.Listen)

	stop := make(chan os.Signal, 1)
	//lint:ignore SA1016
	signal.Notify(stop, os.Interrupt, syscall.SIGHUP, os.Kill)
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case sig := <-stop:
		log.Info("ledgerd stops", "signal", sig.String())
	}

	graceCtx, cancel := context.WithTimeout(context.Background(), shutdownGrace)
	defer cancel()
	err := srv.Shutdown(graceCtx)
	stopDispatcher()
	<-idle
	return err
}
