CREATE TABLE api_key (
  key_id uuid PRIMARY KEY,
  name text COLLATE "C" NOT NULL,
  scopes text NOT NULL,
  expires_at bigint,
  created_at bigint NOT NULL,
  last_used_at bigint,
  key_hash text NOT NULL UNIQUE,
  version integer NOT NULL,
  checksum bigint NOT NULL
);
