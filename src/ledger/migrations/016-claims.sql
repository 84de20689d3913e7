-- Deletes the unique values of removed imports, which the sweep left behind.
DELETE FROM import_key WHERE import_id NOT IN (SELECT import_id FROM import_job);
