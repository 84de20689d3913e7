-- A value is in the row of its change.
ALTER TABLE change
  ADD COLUMN value text COLLATE "C",
  ADD COLUMN checksum bigint;

UPDATE change SET value = change_value.value, checksum = change_value.checksum
FROM change_value WHERE change_value.number = change.number;

DROP TABLE change_value;

-- A transaction finds its own by an index, past what others have left behind.
ALTER TABLE change_unnumbered
  ADD COLUMN entered_by xid8 NOT NULL DEFAULT pg_current_xact_id(),
  DROP CONSTRAINT change_unnumbered_pkey,
  ADD PRIMARY KEY (entered_by, change_id);

-- Runs at COMMIT, and does all changes of the transaction when it runs for the first of them. The lock is taken last and held to
-- the end, so the order of the numbers is the order of the commits. Whoever waits for it in vain has met a commit that hangs, not
-- another change of the same record. What was planned while a table was empty must not go on to scan it when it is large.
CREATE OR REPLACE FUNCTION number_change() RETURNS trigger LANGUAGE plpgsql
SET lock_timeout = '2s' SET enable_seqscan = off AS $$
DECLARE
  one change_unnumbered;
  last change;
  next bigint;
  link text;
BEGIN
  PERFORM FROM change_unnumbered WHERE entered_by = NEW.entered_by AND change_id = NEW.change_id;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  BEGIN
    PERFORM pg_advisory_xact_lock(1382838371);
  EXCEPTION WHEN lock_not_available THEN
    RAISE 'another commit is not answered' USING ERRCODE = 'configuration_limit_exceeded';
  END;
  SELECT * INTO last FROM change ORDER BY number DESC LIMIT 1;
  next := coalesce(last.number, 0);
  link := CASE WHEN next = 0 THEN '' ELSE change_hash(last) END;
  FOR one IN
    WITH own AS (DELETE FROM change_unnumbered WHERE entered_by = NEW.entered_by RETURNING *)
    SELECT * FROM own ORDER BY change_id
  LOOP
    next := next + 1;
    INSERT INTO change (number, change_id, type, subject, version, changed, changed_by, track, changed_at, unit, previous,
      value, checksum)
    VALUES (next, one.change_id, one.type, one.subject, one.version, one.changed, one.changed_by, one.track, one.changed_at,
      one.unit, link, one.value, one.checksum);
    link := encode(sha256(convert_to(concat_ws(E'\n', link, next, one.change_id, one.type, one.subject, one.version,
      one.changed, one.changed_at, one.unit, one.track, one.changed_by), 'UTF8')), 'hex');
  END LOOP;
  PERFORM pg_notify('change', '');
  RETURN NULL;
END $$;
