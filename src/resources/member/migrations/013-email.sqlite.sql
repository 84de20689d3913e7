-- An import looks up members by their e-mail addresses, hundreds at a time.
CREATE INDEX member_email ON member (email_folded);
