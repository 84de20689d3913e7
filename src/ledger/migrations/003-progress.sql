-- How far a long piece of work has come: written with what it wrote.
CREATE TABLE progress (
  name TEXT PRIMARY KEY,
  done BIGINT NOT NULL
);
