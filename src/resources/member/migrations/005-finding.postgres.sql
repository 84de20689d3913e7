-- What e-mail addresses and telephone numbers are compared by. The room folds them, and gives the index words for them.
ALTER TABLE member ADD COLUMN email_folded text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE member ADD COLUMN telephone_folded text COLLATE "C" NOT NULL DEFAULT '';

DROP INDEX member_created;
CREATE INDEX member_created ON member (created_at, gender_code, member_number);
CREATE INDEX member_modified ON member (last_modified_at, gender_code, member_number);
CREATE INDEX member_born ON member (date_of_birth, gender_code, member_number);
