ALTER TABLE api_key ADD COLUMN name__folded TEXT NOT NULL DEFAULT '';
ALTER TABLE api_key ADD COLUMN hint TEXT;
ALTER TABLE api_key ADD COLUMN former_hashes TEXT;
ALTER TABLE api_key ADD COLUMN former_until INTEGER;

CREATE INDEX api_key_former ON api_key (former_until);
