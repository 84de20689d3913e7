-- PostgreSQL stores a text apart from its row only if the row is longer than 2,000 bytes. So the words are filled up with blanks:
-- the rows become short, and a count reads few pages. The texts that are compared are in these rows, too.
ALTER TABLE member_gram RENAME TO former_gram;

-- Its cost keeps the planner from taking the words of every row apart.
CREATE FUNCTION member_words(grams text) RETURNS text[]
  LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 100000
  AS $$ BEGIN RETURN string_to_array(rtrim(grams), ' '); END $$;

CREATE TABLE member_gram (
  rowid bigint NOT NULL,
  grams text NOT NULL,
  searchable_text text COLLATE "C"
) WITH (toast_tuple_target = 128);

INSERT INTO member_gram (rowid, grams, searchable_text)
  SELECT rowid, rpad(grams, 2100), searchable_text FROM former_gram JOIN member ON member_number = rowid ORDER BY rowid;

DROP TABLE former_gram;
ALTER TABLE member_gram ADD PRIMARY KEY (rowid);
CREATE INDEX member_gram_grams ON member_gram USING gin (member_words(grams));
