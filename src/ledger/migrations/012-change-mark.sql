-- Which change was the newest after so much running time of the service, by which changes grow old.
CREATE TABLE change_mark (
  run_ms BIGINT PRIMARY KEY,
  number BIGINT NOT NULL,
  change_id TEXT NOT NULL
);
