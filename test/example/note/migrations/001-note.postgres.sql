CREATE TABLE note (
  note_id uuid PRIMARY KEY,
  member_id uuid NOT NULL REFERENCES member (member_id) ON DELETE CASCADE,
  text text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  version integer NOT NULL,
  checksum bigint NOT NULL
);

CREATE INDEX note_member ON note (member_id);
