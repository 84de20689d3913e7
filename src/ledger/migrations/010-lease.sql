-- What one instance does for all, and until when it may go on without asking again.
CREATE TABLE lease (
  name TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  ends_at BIGINT NOT NULL
);
