CREATE TABLE webhook (
  webhook_id TEXT PRIMARY KEY,
  url TEXT NOT NULL,
  types TEXT,
  description TEXT,
  active INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  sealed TEXT,
  former_sealed TEXT,
  former_until INTEGER,
  version INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Where a webhook stands in the log of changes, and how its delivery goes. One without a row has no place in this log.
CREATE TABLE webhook_place (
  webhook_id TEXT PRIMARY KEY REFERENCES webhook ON DELETE CASCADE,
  history TEXT NOT NULL,
  number INTEGER NOT NULL,
  mark TEXT NOT NULL,
  state TEXT NOT NULL,
  since INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  next_at INTEGER,
  last_status INTEGER,
  last_error TEXT,
  move INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE webhook_delivery (
  delivery_id TEXT PRIMARY KEY,
  change_id TEXT NOT NULL,
  type TEXT NOT NULL,
  sent_at INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  status INTEGER,
  error TEXT,
  milliseconds INTEGER NOT NULL,
  webhook_id TEXT NOT NULL REFERENCES webhook ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX webhook_delivery_newest ON webhook_delivery (webhook_id, delivery_id);
