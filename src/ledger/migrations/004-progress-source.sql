-- Marks of imports that earlier versions left unfinished do not say which file they are of.
DROP TABLE progress;

-- How far a long piece of work has come: written with what it wrote.
CREATE TABLE progress (
  name TEXT PRIMARY KEY,
  source TEXT NOT NULL,
  done BIGINT NOT NULL,
  written BIGINT NOT NULL
);

CREATE INDEX progress_source ON progress (source);
