ALTER TABLE api_key ADD COLUMN name__folded text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE api_key ADD COLUMN hint text;
ALTER TABLE api_key ADD COLUMN former_hashes text;
ALTER TABLE api_key ADD COLUMN former_until bigint;

CREATE INDEX api_key_former ON api_key (former_until);
