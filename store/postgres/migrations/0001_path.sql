-- The path of a payment: merchants and their keys, partitions, payments, what happened to them, and
-- the ledger. Text that is an id or a code compares by bytes (collate "C"): it is never sorted for people.
-- Amounts are bigint in minor units. Snapshots, events and requests are JSON kept as text: they are
-- written far more often than queried, and text costs the server 40 % less CPU a row than jsonb.

create table installation (
  only_row           boolean primary key default true check (only_row),
  partitions         smallint not null check (partitions between 1 and 1024),
  id_key_fingerprint text collate "C" not null,
  installed_at       timestamptz not null default now()
);

create table merchants (
  id                  text collate "C" primary key,
  business_name       text not null,
  verification_status text collate "C" not null default 'UNVERIFIED'
    check (verification_status in ('UNVERIFIED', 'PENDING', 'APPROVED', 'REJECTED', 'SUSPENDED')),
  live_enabled        boolean not null default false,
  created_at          timestamptz not null default now()
);

create table api_keys (
  id                text collate "C" primary key,
  merchant_id       text collate "C" not null references merchants,
  environment       text collate "C" not null check (environment in ('TEST', 'LIVE')),
  prefix            text collate "C" not null,
  last_four         text collate "C" not null,
  digest            bytea not null unique,
  -- empty: read and write; payouts only when named
  scopes            text[] not null default '{}',
  allowed_addresses text[] not null default '{}',
  created_at        timestamptz not null default now(),
  revoked_at        timestamptz
);

-- One row a payments process; its lease covers all its partitions, so that a heartbeat never touches
-- the rows that commits lock. The rows with a valid lease are those among which partitions are spread.
create table payments_processes (
  name        text collate "C" primary key,
  lease_until timestamptz not null
) with (fillfactor = 20);

-- Who owns a partition, and up to where its stream is committed. epoch rises with every take-over;
-- every commit names the epoch and the position that it builds on. Position 0-1 stands for "nothing
-- yet", since a stream cannot begin at 0-0. Updated by every commit, so pages keep room for it.
create table partitions (
  id           smallint primary key,
  owner        text collate "C",
  epoch        bigint not null default 0,
  position_ms  bigint not null default 0,
  position_seq bigint not null default 1
) with (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- The snapshot is the payment; the columns beside it are what lists and operators look for.
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
  -- when something happens to it by itself: expiry, the end of a hold
  due_at         timestamptz,
  version        integer not null check (version > 0),
  snapshot       text not null
) with (fillfactor = 90);
create index payments_by_merchant on payments (merchant_id, environment, created_at, id);
create index payments_due on payments (due_at) where due_at is not null;

-- Every transition of every payment, in commit order within a partition. envelope holds the exact
-- bytes that merchants get as a webhook, where the specification names the event; it is the outbox.
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
  -- of an event with an envelope: whose it is
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

-- Finds refunds: they stand in the snapshots of their payments, and are shown from there.
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

-- A settlement is booked once per rail, whatever payment it names: a second booking is refused here.
create table rail_transactions (
  rail           text collate "C" not null,
  transaction_id text collate "C" not null,
  payment_id     text collate "C" not null,
  primary key (rail, transaction_id)
);

-- A call to a rail: due, then sent (compare-and-set, before the call), then answered. Whoever finds
-- sent without an answer looks up at the rail and never calls again.
create table rail_calls (
  id          text collate "C" primary key,
  payment_id  text collate "C" not null,
  rail        text collate "C" not null,
  operation   text collate "C" not null,
  state       text collate "C" not null default 'due' check (state in ('due', 'sent', 'answered')),
  request     text not null,
  answer      text,
  due_at      timestamptz not null,
  sent_at     timestamptz,
  answered_at timestamptz
);
create index rail_calls_open on rail_calls (due_at) where state <> 'answered';

create table operator_tasks (
  id          text collate "C" primary key,
  kind        text collate "C" not null,
  payment_id  text collate "C",
  details     text not null,
  status      text collate "C" not null default 'open' check (status in ('open', 'resolved')),
  opened_at   timestamptz not null,
  resolved_at timestamptz
);

-- Claims of idempotency keys whose object routes by another id: refunds by payment, payouts by account.
create table idempotency_claims (
  merchant_id text collate "C" not null,
  environment text collate "C" not null,
  kind        text collate "C" not null,
  key         text collate "C" not null,
  fingerprint text collate "C" not null,
  object_id   text collate "C" not null,
  claimed_at  timestamptz not null default now(),
  primary key (merchant_id, environment, kind, key)
);

-- Double entry, append only: a row moves an amount from the debit to the credit account.
create table postings (
  payment_id text collate "C" not null,
  version    integer not null,
  index      smallint not null,
  debit      text collate "C" not null,
  credit     text collate "C" not null check (credit <> debit),
  amount     bigint not null check (amount > 0),
  currency   text collate "C" not null,
  reason     text collate "C" not null,
  at         timestamptz not null,
  primary key (payment_id, version, index)
);

-- Credits less debits of each account, moved by the commit that writes the postings.
create table balances (
  account  text collate "C" primary key,
  currency text collate "C" not null,
  amount   bigint not null
) with (fillfactor = 50);

-- Commands that could not be applied: kept whole for an operator, the partition went on.
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
