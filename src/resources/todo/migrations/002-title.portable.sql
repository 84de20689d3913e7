-- What titles are searched by. SQL cannot fold like this: the room does it.
ALTER TABLE todo ADD COLUMN title_folded text COLLATE "C" NOT NULL DEFAULT '';
