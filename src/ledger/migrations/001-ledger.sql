CREATE TABLE kept_answer (
  scope TEXT PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  status INTEGER NOT NULL,
  headers TEXT NOT NULL,
  body TEXT NOT NULL,
  expires_at BIGINT NOT NULL,
  checksum BIGINT NOT NULL
);

CREATE INDEX kept_answer_expiry ON kept_answer (expires_at);

CREATE TABLE secret (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL,
  checksum BIGINT NOT NULL
);
