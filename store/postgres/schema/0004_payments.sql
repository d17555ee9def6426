-- Partitions and payments: everything that one commit of a payments process writes, except the ledger
-- (0005) and the calls to rails (0006).

-- One row per payments process. Its lease covers all partitions of the process, so that a heartbeat never
-- touches a row that commits lock. Partitions are assigned among the processes whose lease is valid.
create table payments_processes (
  name        text collate "C" primary key,
  lease_until timestamptz not null,
  -- whether the process receives messages from Redis, and since when that is so. A process that does not,
  -- while another one does, is assigned no partitions.
  hears_redis boolean not null default true,
  redis_since timestamptz not null default now(),
  -- the run id of that server; null: it does not say
  redis_run_id text collate "C"
) with (fillfactor = 20);

-- Redis servers that a payments process has heard as a master. A run id, to which the replication id is joined, is new
-- after each restart and each promotion. The server that was first heard last is the master; a process that hears another one is connected to a former master.
create table redis_servers (
  run_id         text collate "C" primary key,
  first_heard_at timestamptz not null default clock_timestamp()
);

-- The owner of each partition, and the position up to which its stream is committed. `epoch` rises with
-- each change of owner, at least to the milliseconds of that moment; each commit names the epoch and the position that it builds on. Position 0-1 means
-- "nothing committed", since a stream cannot begin at 0-0. Each commit updates the row: hence the fill factor.
create table partitions (
  id           smallint primary key,
  owner        text collate "C",
  epoch        bigint not null default 0,
  position_ms  bigint not null default 0,
  position_seq bigint not null default 1
) with (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- `snapshot` is the payment: the text of the answer, and what is internal (docs/decisions/0046-snapshot-is-the-answer.md).
-- The other columns repeat what lists and operators search by. The row is the payment's first event, version 1.
create table payments (
  id             text collate "C" primary key,
  merchant_id    text collate "C" not null,
  environment    text collate "C" not null check (environment in ('TEST', 'LIVE')),
  status         text collate "C" not null
    check (status in ('creating', 'pending', 'paid', 'failed', 'cancelled', 'refunded')),
  amount         bigint not null check (amount > 0),
  currency       text collate "C" not null,
  payment_method text collate "C",
  reference_id   text,
  created_at     timestamptz not null,
  -- when the payment expires, or when its held money is released; after its command had no effect: when to send it again
  due_at         timestamptz,
  version        integer not null check (version > 0),
  snapshot       text not null
) with (fillfactor = 90);
create index payments_by_merchant on payments (merchant_id, environment, created_at, id);
-- in the order of turns (store/postgres/turns.ts)
create index payments_due on payments ((environment || ' ' || merchant_id), due_at) where due_at is not null;
-- A create with a reference_id pays 4 to 7 µs of CPU for this index, 1 to 2 of them for the merchant in it:
-- without the merchant, a list would read the payments of all merchants with the same reference.
create index payments_by_reference on payments (reference_id, merchant_id)
  where reference_id is not null;
-- A payment enters this index when it leaves pending, so a create does not pay for it.
create index payments_by_status on payments (merchant_id, environment, status, created_at, id)
  where status in ('paid', 'failed', 'cancelled', 'refunded');

-- Every transition of every payment but its creation, in commit order within a partition. `envelope` holds the exact bytes
-- that merchants receive as a webhook, if the event is one that they receive: this table is the outbox.
create table payment_events (
  partition    smallint not null,
  position_ms  bigint not null,
  position_seq bigint not null,
  index        integer not null,
  payment_id   text collate "C" not null,
  version      integer not null,
  type         text collate "C" not null,
  at           timestamptz not null,
  event        text not null,
  -- set with the envelope only
  merchant_id  text collate "C",
  environment  text collate "C",
  envelope     text,
  primary key (partition, position_ms, position_seq, index)
);
create unique index payment_events_with_envelope on payment_events (payment_id, version)
  where envelope is not null;
create index payment_events_by_merchant
  on payment_events (merchant_id, environment, at, payment_id, version)
  where envelope is not null;
-- The fan-out finds the next events here without reading those that have no envelope.
create index payment_events_outbox on payment_events (partition, position_ms, position_seq, index)
  where envelope is not null;

-- An index of refunds: their content is in the snapshots of their payments.
create table refunds (
  id          text collate "C" primary key,
  payment_id  text collate "C" not null,
  merchant_id text collate "C" not null,
  environment text collate "C" not null,
  status      text collate "C" not null,
  created_at  timestamptz not null
);
create index refunds_by_merchant on refunds (merchant_id, environment, created_at, id);
create index refunds_by_payment on refunds (payment_id);
-- for administrators, who list the refunds of all merchants
create index refunds_by_status on refunds (status, created_at, id);

-- Idempotency keys of objects whose id does not follow from the key: refunds, which belong to the partition
-- of their payment, and payouts. `uses` counts the requests that rely on a claim: answered, or under way.
-- A request that was refused with 503 removes itself; a key with 0 uses is free for another body.
create table idempotency_claims (
  merchant_id text collate "C" not null,
  environment text collate "C" not null,
  kind        text collate "C" not null,
  key         text collate "C" not null,
  fingerprint text collate "C" not null,
  object_id   text collate "C" not null,
  uses        integer not null default 1 check (uses >= 0),
  claimed_at  timestamptz not null default now(),
  primary key (merchant_id, environment, kind, key)
);

-- Quarantined commands: they could not be applied, and their partition went on without them. Each is kept
-- whole for an operator.
create table parked_commands (
  partition    smallint not null,
  position_ms  bigint not null,
  position_seq bigint not null,
  index        integer not null,
  command      text not null,
  error        text not null,
  parked_at    timestamptz not null default now(),
  primary key (partition, position_ms, position_seq, index)
);

-- Deferred commands: accepted, and set aside because Postgres could not apply them in time, most often because another
-- transaction held a row that they change. The commit that moves the position over a command stores it here; the
-- commit that applies it deletes it. The owner of the partition applies them in order, before later commands of their
-- payment. The columns are those of the command's frame.
create table deferred_commands (
  partition    smallint not null,
  position_ms  bigint not null,
  position_seq bigint not null,
  index        integer not null,
  payment_id   text collate "C" not null,
  source       text collate "C" not null check (source in ('gateway', 'rails', 'webhooks')),
  sender       text not null,
  correlation  text not null,
  command      text not null,
  deferred_at  timestamptz not null,
  primary key (partition, position_ms, position_seq, index)
);
