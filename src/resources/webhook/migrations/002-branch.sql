-- The history and the timeline that were delivered last. A place without it is on the present one.
ALTER TABLE webhook_place ADD COLUMN branch TEXT;
