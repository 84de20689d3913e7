CREATE TABLE login_failure (
  scope TEXT PRIMARY KEY,
  failures INTEGER NOT NULL,
  blocked_until BIGINT NOT NULL,
  forgotten_at BIGINT NOT NULL
);

CREATE INDEX login_failure_forgotten ON login_failure (forgotten_at);

CREATE TABLE administrator (
  name TEXT PRIMARY KEY,
  sign_id TEXT NOT NULL,
  password_hash TEXT NOT NULL,
  checksum BIGINT NOT NULL
);

CREATE TABLE allowance (
  scope TEXT PRIMARY KEY,
  taken INTEGER NOT NULL,
  ends_at BIGINT NOT NULL
);

CREATE INDEX allowance_end ON allowance (ends_at);
