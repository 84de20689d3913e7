-- Who may choose a password by a link. Only a keyed hash of its secret is stored.
ALTER TABLE credential ADD COLUMN invitation_hash text;
ALTER TABLE credential ADD COLUMN invitation_ends_at bigint;
CREATE INDEX credential_invitation ON credential (invitation_hash) WHERE invitation_hash IS NOT NULL;
-- Those who cannot come in yet.
CREATE INDEX credential_without_password ON credential (member_id) WHERE password_hash = '';
