-- Names, e-mail addresses and the digits of telephone numbers, as they are searched for by a part. The room folds them.
ALTER TABLE member ADD COLUMN searchable_text TEXT NOT NULL DEFAULT '';
CREATE INDEX member_searchable_text ON member (member_number, searchable_text);
