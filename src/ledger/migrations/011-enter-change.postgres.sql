-- Entries come as an array with the last statement of their transaction.
DROP TABLE change_unnumbered;
DROP FUNCTION number_change();

-- Nothing is found by it.
ALTER TABLE change DROP CONSTRAINT change_change_id_key;

CREATE TYPE change_entry AS (
  change_id text,
  type text,
  subject text,
  version integer,
  changed text,
  changed_by text,
  track text,
  changed_at bigint,
  unit text,
  value text,
  checksum bigint
);

-- The last statement before COMMIT. The lock is held to its end, so the order of the numbers is the order of the commits. Whoever
-- waits for it in vain has met a commit that hangs, not another change of the same record. What was planned while a table was empty
-- must not go on to scan it when it is large.
CREATE FUNCTION enter_change(entries change_entry[]) RETURNS TABLE (id text, number bigint) LANGUAGE plpgsql
SET lock_timeout = '2s' SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  one change_entry;
  last change;
  next bigint;
  link text;
  links text[] := '{}';
BEGIN
  IF cardinality(entries) = 0 THEN
    RETURN;
  END IF;
  BEGIN
    PERFORM pg_advisory_xact_lock(1382838371);
  EXCEPTION WHEN lock_not_available THEN
    RAISE 'another commit is not answered' USING ERRCODE = 'configuration_limit_exceeded';
  END;
  SELECT * INTO last FROM change ORDER BY number DESC LIMIT 1;
  next := coalesce(last.number, 0);
  link := CASE WHEN next = 0 THEN '' ELSE change_hash(last) END;
  FOREACH one IN ARRAY entries LOOP
    next := next + 1;
    links := links || link;
    link := encode(sha256(convert_to(concat_ws(E'\n', link, next, one.change_id, one.type, one.subject, one.version,
      one.changed, one.changed_at, one.unit, one.track, one.changed_by), 'UTF8')), 'hex');
  END LOOP;
  PERFORM pg_notify('change', '');
  RETURN QUERY INSERT INTO change (number, change_id, type, subject, version, changed, changed_by, track, changed_at, unit,
    previous, value, checksum)
  SELECT next - cardinality(entries) + at, change_id, type, subject, version, changed, changed_by, track, changed_at, unit,
    links[at], value, checksum
  FROM unnest(entries) WITH ORDINALITY AS given (change_id, type, subject, version, changed, changed_by, track, changed_at,
    unit, value, checksum, at)
  RETURNING change_id, number;
END $$;
