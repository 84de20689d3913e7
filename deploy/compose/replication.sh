#!/bin/sh
set -eu
# The service has a role of its own, which owns its database and nothing else; the standby has one for replication.
# The server that the entrypoint starts for this waits for the standby already, which comes only when this is done.
psql -v ON_ERROR_STOP=1 -v password="$POSTGRES_PASSWORD" -U postgres <<'SQL'
SET synchronous_commit = local;
CREATE ROLE rollcall LOGIN PASSWORD :'password';
CREATE DATABASE rollcall OWNER rollcall;
CREATE ROLE standby LOGIN REPLICATION PASSWORD :'password';
SQL
echo "host replication standby all scram-sha-256" >> "$PGDATA/pg_hba.conf"
