-- A long needle is looked for in the name of each member that has its grams: here these names lie close together.
CREATE INDEX member_searchable_name ON member (member_number, searchable_name);
