#!/bin/sh
set -eu
# The standby comes in with the same password, for replication.
echo "host replication rollcall all scram-sha-256" >> "$PGDATA/pg_hba.conf"
