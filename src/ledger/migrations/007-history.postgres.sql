-- Changes of one request that are committed together have the same unit. `previous` is the hash of the change before.
ALTER TABLE change
  ADD COLUMN unit text COLLATE "C" NOT NULL DEFAULT '',
  ADD COLUMN previous text COLLATE "C";

CREATE INDEX change_subject ON change (subject, number);

-- What a record was after a change. It is apart from the log, so that it can be erased.
CREATE TABLE change_value (
  number bigint PRIMARY KEY,
  value text COLLATE "C" NOT NULL,
  checksum bigint NOT NULL
);

ALTER TABLE change_unnumbered
  ADD COLUMN unit text COLLATE "C" NOT NULL DEFAULT '',
  ADD COLUMN value text COLLATE "C",
  ADD COLUMN checksum bigint;

-- Who did it comes last, because only that may contain a line break.
CREATE FUNCTION change_hash(one change) RETURNS text LANGUAGE sql AS $$
  SELECT encode(sha256(convert_to(concat_ws(E'\n', coalesce(one.previous, ''), one.number, one.change_id, one.type,
    one.subject, one.version, one.changed, one.changed_at, one.unit, one.track, one.changed_by), 'UTF8')), 'hex')
$$;

-- Runs at COMMIT. The lock is taken last and held to the end, so the order of the numbers is the order of the commits. Whoever
-- waits for it in vain has met a commit that hangs, not another change of the same record.
CREATE OR REPLACE FUNCTION number_change() RETURNS trigger LANGUAGE plpgsql SET lock_timeout = '2s' AS $$
DECLARE
  last change;
  next bigint;
BEGIN
  BEGIN
    PERFORM pg_advisory_xact_lock(1382838371);
  EXCEPTION WHEN lock_not_available THEN
    RAISE 'another commit is not answered' USING ERRCODE = 'configuration_limit_exceeded';
  END;
  SELECT * INTO last FROM change ORDER BY number DESC LIMIT 1;
  next := coalesce(last.number, 0) + 1;
  INSERT INTO change (number, change_id, type, subject, version, changed, changed_by, track, changed_at, unit, previous)
  VALUES (next, NEW.change_id, NEW.type, NEW.subject, NEW.version, NEW.changed, NEW.changed_by, NEW.track,
    NEW.changed_at, NEW.unit, CASE WHEN next = 1 THEN '' ELSE change_hash(last) END);
  IF NEW.value IS NOT NULL THEN
    INSERT INTO change_value (number, value, checksum) VALUES (next, NEW.value, NEW.checksum);
  END IF;
  DELETE FROM change_unnumbered WHERE change_id = NEW.change_id;
  PERFORM pg_notify('change', '');
  RETURN NULL;
END $$;

-- The record that an answer is about.
ALTER TABLE kept_answer ADD COLUMN subject text COLLATE "C";

CREATE INDEX kept_answer_subject ON kept_answer (subject) WHERE subject IS NOT NULL;
