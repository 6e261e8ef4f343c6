#!/bin/sh
# Nightly backup: dumps the database, keeps the last fourteen dumps. Run from cron as the user ledger.
set -eu

backup_dir=${LEDGER_BACKUP_DIR:-/var/backups/ledger}
keep=14
target="$backup_dir/ledger-$(date -u +%Y%m%d).sql.gz"

mkdir -p "$backup_dir"
umask 077
pg_dump --no-owner "${LEDGER_DSN:?set LEDGER_DSN}" >"$target.part"
gzip -c "$target.part" >"$target"
rm "$target.part"

ls -1t "$backup_dir"/ledger-*.sql.gz | tail -n +$((keep + 1)) | while read -r old; do
	rm -- "$old"
done
