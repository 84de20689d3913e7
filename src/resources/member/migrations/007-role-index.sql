-- Few members have a role of their own.
CREATE INDEX credential_role ON credential (role) WHERE role IS NOT NULL;
