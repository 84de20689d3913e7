ALTER TABLE api_key ADD COLUMN created_by TEXT;
ALTER TABLE api_key ADD COLUMN creator_id TEXT;
