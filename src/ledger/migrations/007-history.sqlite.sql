-- Changes of one request that are committed together have the same unit. `previous` is the hash of the change before.
ALTER TABLE change ADD COLUMN unit TEXT NOT NULL DEFAULT '';

ALTER TABLE change ADD COLUMN previous TEXT;

CREATE INDEX change_subject ON change (subject, number);

-- What a record was after a change. It is apart from the log, so that it can be erased.
CREATE TABLE change_value (
  number INTEGER PRIMARY KEY,
  value TEXT NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;

-- Changes are entered here, and get their numbers at once.
CREATE VIEW change_unnumbered AS
SELECT change_id, type, subject, version, changed, changed_by, track, changed_at, unit, NULL AS value, NULL AS checksum
FROM change;

-- Who did it comes last, because only that may contain a line break. Only the writer of Rollcall has the function sha256.
CREATE TRIGGER number_change INSTEAD OF INSERT ON change_unnumbered BEGIN
  INSERT INTO change (number, change_id, type, subject, version, changed, changed_by, track, changed_at, unit, previous)
  SELECT coalesce(last.number, 0) + 1, NEW.change_id, NEW.type, NEW.subject, NEW.version, NEW.changed, NEW.changed_by,
    NEW.track, NEW.changed_at, NEW.unit,
    CASE WHEN last.number IS NULL THEN '' ELSE sha256(concat_ws(char(10), coalesce(last.previous, ''), last.number,
      last.change_id, last.type, last.subject, last.version, last.changed, last.changed_at, last.unit, last.track,
      last.changed_by)) END
  FROM (SELECT 1) LEFT JOIN (SELECT * FROM change ORDER BY number DESC LIMIT 1) AS last;
  INSERT INTO change_value (number, value, checksum)
  SELECT last_insert_rowid(), NEW.value, NEW.checksum WHERE NEW.value IS NOT NULL;
END;

-- The record that an answer is about.
ALTER TABLE kept_answer ADD COLUMN subject TEXT;

CREATE INDEX kept_answer_subject ON kept_answer (subject) WHERE subject IS NOT NULL;
