-- What was changed, without values. A number is one more than the largest, so there are no gaps: the newest row is never deleted.
CREATE TABLE change (
  number INTEGER PRIMARY KEY,
  change_id TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL,
  subject TEXT NOT NULL,
  version INTEGER NOT NULL,
  changed TEXT NOT NULL,
  changed_by TEXT NOT NULL,
  track TEXT NOT NULL,
  changed_at INTEGER NOT NULL
) STRICT;

-- Names this database. A restored copy gets another name, because its next changes will be others.
CREATE TABLE change_history (history TEXT NOT NULL) STRICT;

INSERT INTO change_history (history) VALUES (lower(hex(randomblob(8))));
