CREATE TABLE member (
  member_number INTEGER PRIMARY KEY,
  member_id TEXT NOT NULL UNIQUE,
  first_name TEXT NOT NULL,
  last_name TEXT NOT NULL,
  gender_code TEXT NOT NULL,
  date_of_birth TEXT NOT NULL,
  email_address TEXT NOT NULL,
  telephone_number TEXT,
  zip_code TEXT,
  address TEXT,
  searchable_name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_modified_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;

CREATE INDEX member_created ON member (created_at);

-- A credential is written before its member and removed before it.
CREATE TABLE credential (
  member_id TEXT PRIMARY KEY REFERENCES member (member_id) DEFERRABLE INITIALLY DEFERRED,
  sign_id TEXT NOT NULL,
  sign_id_folded TEXT NOT NULL UNIQUE,
  password_hash TEXT NOT NULL,
  password_last_changed_at INTEGER NOT NULL,
  last_modified_at INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Which members have a gram of one, two or three characters in their name. It holds words, not the texts.
CREATE VIRTUAL TABLE member_gram USING fts5 (
  grams, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
);
