ALTER TABLE credential ADD COLUMN role TEXT;
ALTER TABLE credential ADD COLUMN role_changed_at INTEGER;
