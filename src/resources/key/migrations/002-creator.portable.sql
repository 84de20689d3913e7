ALTER TABLE api_key ADD COLUMN created_by text;
ALTER TABLE api_key ADD COLUMN creator_id uuid;
