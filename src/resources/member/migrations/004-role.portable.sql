ALTER TABLE credential ADD COLUMN role text;
ALTER TABLE credential ADD COLUMN role_changed_at bigint;
