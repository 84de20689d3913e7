#!/bin/sh
set -eu
# At the first start, copy the primary; from then on, follow it. The primary waits for this application_name.
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  install -d -o postgres -g postgres -m 0700 "$PGDATA"
  gosu postgres pg_basebackup -d "host=primary user=standby password=$PGPASSWORD application_name=standby" \
    -D "$PGDATA" -R -X stream
fi
# A standby with fewer connections than its primary does not start.
exec gosu postgres postgres -D "$PGDATA" -c hot_standby=on -c max_connections=200
