-- Imports keep their progress in import_job.
DROP TABLE progress;
