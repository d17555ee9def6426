-- Webhooks. The outbox is payment_events with an envelope; a cursor a partition says up to where it was
-- fanned out into deliveries, one for each (event, endpoint). A delivery is pending until an attempt got a
-- 2xx (delivered) or nothing more is tried (dead); dead ones are the dead-letter queue, a replay makes them
-- pending again. What Redis holds of this is made again from here.

-- What is not fanned out yet, found without reading past all the events that nobody is told of.
create index payment_events_outbox on payment_events (partition, position_ms, position_seq, index)
  where envelope is not null;

-- secret and next_secret are ciphertexts. While next_secret is there and switch_at has not come, both
-- sign; from switch_at on, next_secret alone does.
create table webhook_endpoints (
  id          text collate "C" primary key,
  merchant_id text collate "C" not null references merchants,
  environment text collate "C" not null check (environment in ('TEST', 'LIVE')),
  url         text not null,
  -- event types, or '*'
  events      text[] not null default '{*}' check (cardinality(events) > 0),
  active      boolean not null default true,
  secret      text collate "C" not null,
  next_secret text collate "C",
  switch_at   timestamptz,
  created_at  timestamptz not null default now(),
  check ((next_secret is null) = (switch_at is null))
);
create index webhook_endpoints_by_merchant on webhook_endpoints (merchant_id, environment, created_at);

-- The last event of the partition that is fanned out; moved by the statement that inserts the deliveries.
create table webhook_cursors (
  partition    smallint primary key,
  position_ms  bigint not null default 0,
  position_seq bigint not null default 0,
  index        integer not null default 0
) with (fillfactor = 20);

-- attempts counts all of them; step those since the last replay, which starts the schedule again. reason
-- is that of the latest failure, and of its death. settled_at: delivered or dead since.
create table webhook_deliveries (
  id              text collate "C" primary key,
  event_id        text collate "C" not null,
  endpoint_id     text collate "C" not null references webhook_endpoints on delete cascade,
  payment_id      text collate "C" not null,
  version         integer not null,
  type            text collate "C" not null,
  status          text collate "C" not null default 'pending'
    check (status in ('pending', 'delivered', 'dead')),
  attempts        integer not null default 0,
  step            integer not null default 0,
  reason          text collate "C",
  next_attempt_at timestamptz not null default now(),
  created_at      timestamptz not null default now(),
  settled_at      timestamptz,
  unique (event_id, endpoint_id),
  check ((status = 'pending') = (settled_at is null))
) with (fillfactor = 80);
create index webhook_deliveries_due on webhook_deliveries (next_attempt_at, id) where status = 'pending';
create index webhook_deliveries_dead on webhook_deliveries (settled_at, id) where status = 'dead';
create index webhook_deliveries_by_endpoint on webhook_deliveries (endpoint_id, created_at, id);

create table webhook_attempts (
  delivery_id text collate "C" not null references webhook_deliveries on delete cascade,
  attempt     integer not null,
  at          timestamptz not null,
  duration_ms integer not null,
  status_code smallint,
  -- null: success
  failure     text collate "C",
  error       text,
  excerpt     text,
  primary key (delivery_id, attempt)
);
