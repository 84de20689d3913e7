CREATE TABLE note (
  note_id TEXT PRIMARY KEY,
  member_id TEXT NOT NULL REFERENCES member (member_id) ON DELETE CASCADE,
  text TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX note_member ON note (member_id);
