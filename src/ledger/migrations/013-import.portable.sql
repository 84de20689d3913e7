-- A file on its way to becoming records: what is said of it, its bytes, its rows, and the values that only one row may have.
CREATE TABLE import_job (
  import_id text COLLATE "C" PRIMARY KEY,
  resource text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  done bigint NOT NULL,
  expires_at bigint NOT NULL,
  job text COLLATE "C" NOT NULL
) STRICT;

CREATE TABLE import_piece (
  import_id text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (import_id, number)
) STRICT;

CREATE TABLE import_row (
  import_id text COLLATE "C" NOT NULL,
  line bigint NOT NULL,
  cells text COLLATE "C" NOT NULL,
  outcome text COLLATE "C",
  record_id text COLLATE "C",
  judged text COLLATE "C",
  applied bigint,
  PRIMARY KEY (import_id, line)
);

CREATE INDEX import_row_outcome ON import_row (import_id, outcome, line, applied);
CREATE INDEX import_row_record ON import_row (record_id);

CREATE TABLE import_key (
  import_id text COLLATE "C" NOT NULL,
  round bigint NOT NULL,
  name text COLLATE "C" NOT NULL,
  value text COLLATE "C" NOT NULL,
  line bigint NOT NULL,
  PRIMARY KEY (import_id, round, name, value)
);

CREATE INDEX import_key_line ON import_key (import_id, line);
