-- The number of the change, by which the log has it. Those sent before have none.
ALTER TABLE webhook_delivery ADD COLUMN number bigint;
