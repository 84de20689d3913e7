CREATE TABLE note (
  note_id TEXT PRIMARY KEY,
  text TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  version INTEGER NOT NULL,
  checksum BIGINT NOT NULL
);
