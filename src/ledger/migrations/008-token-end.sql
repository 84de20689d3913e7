CREATE TABLE token_end (
  name TEXT PRIMARY KEY,
  ended_at BIGINT NOT NULL,
  forgotten_at BIGINT NOT NULL
);

CREATE INDEX token_end_forgotten ON token_end (forgotten_at);
