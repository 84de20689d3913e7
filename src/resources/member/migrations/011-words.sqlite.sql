-- The words of names, of domains and of dates of birth, which are counted without looking at the members. The room fills the index.
INSERT INTO member_gram (member_gram) VALUES ('delete-all');
