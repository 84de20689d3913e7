CREATE TABLE member (
  member_number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  member_id uuid PRIMARY KEY,
  first_name text COLLATE "C" NOT NULL,
  last_name text COLLATE "C" NOT NULL,
  gender_code text COLLATE "C" NOT NULL,
  date_of_birth text COLLATE "C" NOT NULL,
  email_address text COLLATE "C" NOT NULL,
  telephone_number text COLLATE "C",
  zip_code text COLLATE "C",
  address text COLLATE "C",
  searchable_name text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  last_modified_at bigint NOT NULL,
  version integer NOT NULL,
  checksum bigint NOT NULL
);

CREATE INDEX member_created ON member (created_at);

-- A credential is written before its member and removed before it.
CREATE TABLE credential (
  member_id uuid PRIMARY KEY REFERENCES member (member_id) DEFERRABLE INITIALLY DEFERRED,
  sign_id text COLLATE "C" NOT NULL,
  sign_id_folded text COLLATE "C" NOT NULL UNIQUE,
  password_hash text NOT NULL,
  password_last_changed_at bigint NOT NULL,
  last_modified_at bigint NOT NULL,
  checksum bigint NOT NULL
);

-- Which members have a gram of one, two or three characters in their name.
CREATE TABLE member_gram (
  rowid bigint PRIMARY KEY,
  grams text NOT NULL
);

CREATE INDEX member_gram_grams ON member_gram USING gin (string_to_array(grams, ' '));
