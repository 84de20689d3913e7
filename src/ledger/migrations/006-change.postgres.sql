-- What was changed, without values. A number is one more than the largest, so there are no gaps: the newest row is never deleted.
CREATE TABLE change (
  number bigint PRIMARY KEY,
  change_id text COLLATE "C" NOT NULL UNIQUE,
  type text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  version integer NOT NULL,
  changed text COLLATE "C" NOT NULL,
  changed_by text COLLATE "C" NOT NULL,
  track text COLLATE "C" NOT NULL,
  changed_at bigint NOT NULL
);

-- What transactions that are still open have changed. It is empty for everybody else, so a crash may empty it.
CREATE UNLOGGED TABLE change_unnumbered (
  change_id text COLLATE "C" PRIMARY KEY,
  type text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  version integer NOT NULL,
  changed text COLLATE "C" NOT NULL,
  changed_by text COLLATE "C" NOT NULL,
  track text COLLATE "C" NOT NULL,
  changed_at bigint NOT NULL
);

-- Runs at COMMIT. The lock is taken last and held to the end, so the order of the numbers is the order of the commits. Whoever
-- waits for it in vain has met a commit that hangs, not another change of the same record.
CREATE FUNCTION number_change() RETURNS trigger LANGUAGE plpgsql SET lock_timeout = '2s' AS $$
BEGIN
  BEGIN
    PERFORM pg_advisory_xact_lock(1382838371);
  EXCEPTION WHEN lock_not_available THEN
    RAISE 'another commit is not answered' USING ERRCODE = 'configuration_limit_exceeded';
  END;
  INSERT INTO change
  SELECT (SELECT coalesce(max(number), 0) + 1 FROM change), NEW.change_id, NEW.type, NEW.subject, NEW.version,
    NEW.changed, NEW.changed_by, NEW.track, NEW.changed_at;
  DELETE FROM change_unnumbered WHERE change_id = NEW.change_id;
  PERFORM pg_notify('change', '');
  RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER number_change AFTER INSERT ON change_unnumbered
DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION number_change();

-- Names this database. A restored copy gets another name, because its next changes will be others.
CREATE TABLE change_history (history text NOT NULL);

INSERT INTO change_history (history) VALUES (replace(gen_random_uuid()::text, '-', ''));
