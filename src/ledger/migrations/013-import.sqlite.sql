-- A file on its way to becoming records: what is said of it, its bytes, its rows, and the values that only one row may have.
CREATE TABLE import_job (
  import_id TEXT PRIMARY KEY,
  resource TEXT NOT NULL,
  state TEXT NOT NULL,
  version INTEGER NOT NULL,
  done INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  job TEXT NOT NULL
) STRICT;

CREATE TABLE import_piece (
  import_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (import_id, number)
) STRICT;

CREATE TABLE import_row (
  import_id TEXT NOT NULL,
  line INTEGER NOT NULL,
  cells TEXT NOT NULL,
  outcome TEXT,
  record_id TEXT,
  judged TEXT,
  applied INTEGER,
  PRIMARY KEY (import_id, line)
) STRICT, WITHOUT ROWID;

CREATE INDEX import_row_outcome ON import_row (import_id, outcome, line, applied);
CREATE INDEX import_row_record ON import_row (record_id);

CREATE TABLE import_key (
  import_id TEXT NOT NULL,
  round INTEGER NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  line INTEGER NOT NULL,
  PRIMARY KEY (import_id, round, name, value)
) STRICT, WITHOUT ROWID;

CREATE INDEX import_key_line ON import_key (import_id, line);
