-- The writer numbers the changes of a commit and links them, so there is no view to enter them by. A value is in the row of its change.
DROP VIEW change_unnumbered;

CREATE TABLE change_with_value (
  number INTEGER PRIMARY KEY,
  previous TEXT,
  change_id TEXT NOT NULL,
  type TEXT NOT NULL,
  subject TEXT NOT NULL,
  version INTEGER NOT NULL,
  changed TEXT NOT NULL,
  changed_by TEXT NOT NULL,
  track TEXT NOT NULL,
  changed_at INTEGER NOT NULL,
  unit TEXT NOT NULL,
  value TEXT,
  checksum INTEGER
) STRICT;

INSERT INTO change_with_value
SELECT number, previous, change_id, type, subject, version, changed, changed_by, track, changed_at, unit, value, checksum
FROM change LEFT JOIN change_value USING (number) ORDER BY number;

DROP TABLE change_value;
DROP TABLE change;
ALTER TABLE change_with_value RENAME TO change;

CREATE INDEX change_subject ON change (subject, number);
