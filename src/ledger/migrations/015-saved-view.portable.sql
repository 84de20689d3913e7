-- Lists of the console that somebody gave a name: a page, and what its address says.
CREATE TABLE saved_view (
  view_id uuid PRIMARY KEY,
  owner text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  page text COLLATE "C" NOT NULL,
  query text COLLATE "C" NOT NULL,
  shared boolean NOT NULL,
  version bigint NOT NULL,
  checksum bigint NOT NULL
);

CREATE INDEX saved_view_owner ON saved_view (owner);
CREATE INDEX saved_view_shared ON saved_view (page) WHERE shared;
