CREATE TABLE todo (
  todo_id TEXT PRIMARY KEY,
  todo_title TEXT NOT NULL,
  finished INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX todo_created ON todo (created_at);
CREATE INDEX todo_finished ON todo (finished);
