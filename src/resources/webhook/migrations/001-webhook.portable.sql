CREATE TABLE webhook (
  webhook_id uuid PRIMARY KEY,
  url text COLLATE "C" NOT NULL,
  types text,
  description text,
  active boolean NOT NULL,
  created_at bigint NOT NULL,
  sealed text,
  former_sealed text,
  former_until bigint,
  version integer NOT NULL,
  checksum bigint NOT NULL
);

-- Where a webhook stands in the log of changes, and how its delivery goes. One without a row has no place in this log.
CREATE TABLE webhook_place (
  webhook_id uuid PRIMARY KEY REFERENCES webhook ON DELETE CASCADE,
  history text NOT NULL,
  number bigint NOT NULL,
  mark text NOT NULL,
  state text NOT NULL,
  since bigint NOT NULL,
  failures integer NOT NULL,
  next_at bigint,
  last_status integer,
  last_error text,
  move integer NOT NULL
);

CREATE TABLE webhook_delivery (
  delivery_id uuid PRIMARY KEY,
  change_id uuid NOT NULL,
  type text NOT NULL,
  sent_at bigint NOT NULL,
  attempt integer NOT NULL,
  status integer,
  error text,
  milliseconds integer NOT NULL,
  webhook_id uuid NOT NULL REFERENCES webhook ON DELETE CASCADE
);

CREATE INDEX webhook_delivery_newest ON webhook_delivery (webhook_id, delivery_id);
