-- Lists of the console that somebody gave a name: a page, and what its address says.
CREATE TABLE saved_view (
  view_id TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  name TEXT NOT NULL,
  page TEXT NOT NULL,
  query TEXT NOT NULL,
  shared INTEGER NOT NULL,
  version INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX saved_view_owner ON saved_view (owner);
CREATE INDEX saved_view_shared ON saved_view (page) WHERE shared;
