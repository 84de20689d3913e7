-- Names, e-mail addresses and the digits of telephone numbers, as they are searched for by a part. The room folds them.
ALTER TABLE member ADD COLUMN searchable_text text COLLATE "C" NOT NULL DEFAULT '';
