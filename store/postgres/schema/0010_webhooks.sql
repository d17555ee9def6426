-- Webhooks: endpoints, deliveries, dead letters and their replays. The outbox is payment_events with an
-- envelope (0004). The fan-out makes one delivery for each pair of event and endpoint; a cursor per partition
-- holds its progress. The transition of a payout inserts its own deliveries (0008). The Redis state of webhooks is rebuilt from these tables.

-- `secret` and `next_secret` are ciphertexts. While next_secret is set and switch_at is in the future, both
-- sign; from switch_at on, only next_secret does. A deleted endpoint is inactive and holds no secret; its row
-- is kept as long as its deliveries.
create table webhook_endpoints (
  id          text collate "C" primary key,
  merchant_id text collate "C" not null references merchants,
  environment text collate "C" not null check (environment in ('TEST', 'LIVE')),
  url         text not null,
  -- event types; '*' stands for the four of payments that are paid, failed, cancelled or refunded
  events      text[] not null default '{*}' check (cardinality(events) > 0),
  active      boolean not null default true,
  secret      text collate "C" not null,
  next_secret text collate "C",
  switch_at   timestamptz,
  created_at  timestamptz not null default now(),
  deleted_at  timestamptz,
  check ((next_secret is null) = (switch_at is null)),
  constraint deleted_is_inactive check (deleted_at is null or not active)
);
create trigger webhook_endpoints_audit after insert or update or delete on webhook_endpoints for each row
  execute function audit_change('id', 'merchant_id', 'environment', 'url', 'events', 'active', '#secret',
                                '#next_secret', 'switch_at', 'deleted_at');
create index webhook_endpoints_by_merchant on webhook_endpoints (merchant_id, environment, created_at);

-- The last event of each partition that was fanned out; moved by the statement that inserts the deliveries.
create table webhook_cursors (
  partition    smallint primary key,
  position_ms  bigint not null default 0,
  position_seq bigint not null default 0,
  index        integer not null default 0
) with (fillfactor = 20);

-- Events whose envelope cannot be read. The fan-out skips them, so that later events go on, and takes them up
-- again when the envelope has been corrected.
create table webhook_events_set_aside (
  payment_id   text collate "C" not null,
  version      integer not null,
  set_aside_at timestamptz not null default now(),
  primary key (payment_id, version)
);

-- A delivery: pending → delivered (an attempt got a 2xx) or dead (no further attempt). Dead deliveries are the
-- dead-letter queue; a replay makes them pending again. There is no foreign key to the endpoint: its row is deleted only by
-- retention, 30 days after the endpoint was deleted, and not while it has deliveries.
create table webhook_deliveries (
  id              text collate "C" primary key,
  event_id        text collate "C" not null,
  endpoint_id     text collate "C" not null,
  payment_id      text collate "C",
  payout_id       text collate "C",
  version         integer not null,
  type            text collate "C" not null,
  -- the bytes of a payout's event or of a test event; null: they are the envelope of the payment's event
  body            text,
  status          text collate "C" not null default 'pending'
    check (status in ('pending', 'delivered', 'dead')),
  -- all attempts
  attempts        integer not null default 0,
  -- attempts since the last replay, which starts the schedule again
  step            integer not null default 0,
  -- of the latest failure
  reason          text collate "C",
  -- the latest replay that made it pending
  replay_id       text collate "C",
  next_attempt_at timestamptz not null default now(),
  created_at      timestamptz not null default now(),
  -- when it became delivered or dead
  settled_at      timestamptz,
  -- erasures find the deliveries of an event by it
  unique (event_id, endpoint_id),
  check ((status = 'pending') = (settled_at is null)),
  check (num_nonnulls(payment_id, payout_id) = 1)
) with (fillfactor = 80);
-- Only a statement with the second condition can use it. Postgres believes that an index of pending deliveries is nearly
-- empty while few wait, and would read all of it for one endpoint or one delivery with a plan that is kept.
create index webhook_deliveries_due on webhook_deliveries (next_attempt_at, id)
  where status = 'pending' and next_attempt_at > '-infinity';
create index webhook_deliveries_dead on webhook_deliveries (settled_at, id) where status = 'dead';
create index webhook_deliveries_dead_of on webhook_deliveries (endpoint_id, settled_at, id)
  where status = 'dead';
create index webhook_deliveries_by_endpoint on webhook_deliveries (endpoint_id, created_at, id);
-- for refills of the list of a lane, and for retries that a replay brings forward
create index webhook_deliveries_waiting on webhook_deliveries (endpoint_id, next_attempt_at, id)
  where status = 'pending';
-- deliveries that a replay made due and that were not attempted since
create index webhook_deliveries_replayed on webhook_deliveries (replay_id, endpoint_id)
  where status = 'pending' and step = 0 and replay_id is not null;

-- The attempts of a delivery. There is no foreign key: checking it for each attempt cost 14 of the 123 µs of
-- CPU of a delivery, and only the statement that moves a delivery inserts attempts. A trigger deletes the
-- attempts of deleted deliveries.
create table webhook_attempts (
  delivery_id text collate "C" not null,
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

create function forget_attempts() returns trigger language plpgsql
  as $$ begin raise exception 'declared only'; end $$;
create trigger forget_attempts after delete on webhook_deliveries
  referencing old table as gone for each statement execute function forget_attempts();

-- Endpoints all of whose attempts failed since the last success, which removes the row. An endpoint that
-- fails for an hour is flagged; one that fails for five days is disabled, and its owner gets an event.
create table webhook_endpoint_failures (
  endpoint_id text collate "C" primary key references webhook_endpoints on delete cascade,
  since       timestamptz not null default now(),
  latest      timestamptz not null default now(),
  flagged_at  timestamptz
) with (fillfactor = 50);

-- Events about a merchant's account, shown to its users and not sent to endpoints.
create table owner_events (
  id          text collate "C" primary key,
  merchant_id text collate "C" not null references merchants,
  environment text collate "C" not null check (environment in ('TEST', 'LIVE')),
  type        text collate "C" not null check (type in ('endpoint.disabled')),
  -- of the endpoint
  subject_id  text collate "C" not null,
  at          timestamptz not null default now(),
  details     text not null
);
create index owner_events_by_merchant on owner_events (merchant_id, environment, at, id);

-- Replays: a replay makes dead letters due again and, if asked to, failed deliveries that wait for their next
-- attempt. It has a part per endpoint. A part makes further deliveries due only as the ones before were
-- attempted, so each endpoint sets its own pace. All progress is in these rows, so any process may continue.
create table webhook_replays (
  id           text collate "C" primary key,
  -- null: an operator's replay, for all merchants
  merchant_id  text collate "C" references merchants,
  type         text collate "C",
  reason       text collate "C",
  from_at      timestamptz not null,
  until_at     timestamptz not null,
  with_pending boolean not null,
  created_at   timestamptz not null default now(),
  completed_at timestamptz
);
-- one replay at a time per merchant, and one of operators
create unique index webhook_replays_running on webhook_replays (coalesce(merchant_id, ''))
  where completed_at is null;
create index webhook_replays_by_time on webhook_replays (created_at);

create table webhook_replay_parts (
  replay_id    text collate "C" not null references webhook_replays on delete cascade,
  endpoint_id  text collate "C" not null references webhook_endpoints on delete cascade,
  total        integer not null,
  -- made due again
  done         integer not null default 0,
  -- not made due, since the endpoint is inactive or deleted
  failed       integer not null default 0,
  -- all failures before this time were handled
  reached_at   timestamptz not null,
  touched_at   timestamptz not null default now(),
  completed_at timestamptz,
  primary key (replay_id, endpoint_id)
);
create index webhook_replay_parts_open on webhook_replay_parts (touched_at) where completed_at is null;
