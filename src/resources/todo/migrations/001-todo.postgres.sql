CREATE TABLE todo (
  todo_id uuid PRIMARY KEY,
  todo_title text COLLATE "C" NOT NULL,
  finished boolean NOT NULL,
  created_at bigint NOT NULL,
  version integer NOT NULL,
  checksum bigint NOT NULL
);

CREATE INDEX todo_created ON todo (created_at);
CREATE INDEX todo_finished ON todo (finished, todo_id);
