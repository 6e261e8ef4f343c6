-- Amounts are in cents; the ledger has one currency. An account's balance is the sum of its entries, kept beside them for speed.

CREATE TABLE accounts (
    id        text PRIMARY KEY,
    owner     text NOT NULL,
    balance   bigint NOT NULL DEFAULT 0,
    status    smallint NOT NULL DEFAULT 0
);

CREATE TABLE transfers (
    id          text PRIMARY KEY,
    key         text NOT NULL UNIQUE,
    from_id     text NOT NULL REFERENCES accounts (id),
    to_id       text NOT NULL REFERENCES accounts (id),
    amount      bigint NOT NULL CHECK (amount > 0),
    fee         bigint NOT NULL CHECK (fee >= 0),
    refund      boolean NOT NULL DEFAULT false,
    memo        text NOT NULL DEFAULT '',
    created_at  timestamptz NOT NULL
);

CREATE TABLE entries (
    transfer_id  text NOT NULL REFERENCES transfers (id),
    account_id   text NOT NULL REFERENCES accounts (id),
    amount       bigint NOT NULL,
    fee          bigint NOT NULL DEFAULT 0,
    created_at   timestamptz NOT NULL
);

CREATE INDEX entries_created_at ON entries (created_at);

CREATE TABLE subscriptions (
    account_id  text PRIMARY KEY REFERENCES accounts (id),
    url         text NOT NULL
);

CREATE TABLE outbox (
    id            bigserial PRIMARY KEY,
    account_id    text NOT NULL REFERENCES accounts (id),
    payload       bytea NOT NULL,
    delivered_at  timestamptz
);
