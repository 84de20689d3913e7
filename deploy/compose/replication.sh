#!/bin/sh
set -eu
# The service has its own role, which owns its database and nothing else; the standby has one for replication.
# The temporary server that runs this script already waits for the standby, which starts only after it: hence `local`.
psql -v ON_ERROR_STOP=1 -v password="$POSTGRES_PASSWORD" -U postgres <<'SQL'
SET synchronous_commit = local;
CREATE ROLE rollcall LOGIN PASSWORD :'password';
CREATE DATABASE rollcall OWNER rollcall;
CREATE ROLE standby LOGIN REPLICATION PASSWORD :'password';
SQL
echo "host replication standby all scram-sha-256" >> "$PGDATA/pg_hba.conf"
