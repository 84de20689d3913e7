-- A hash of what was consumed of the source so far; empty if an earlier version wrote the row.
ALTER TABLE progress ADD COLUMN consumed TEXT NOT NULL DEFAULT '';

-- How many records were refused; 0 if an earlier version wrote the row.
ALTER TABLE progress ADD COLUMN refused BIGINT NOT NULL DEFAULT 0;
