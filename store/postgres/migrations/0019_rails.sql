-- LIVE rails. Calls stand in rail_calls (0001): due, sent, answered. Beside them:
--
--   rail_watches  what is looked up at a rail again and again: orders that it may hold, refunds under way
--   rail_facts    commands that follow from what a rail said, until a snapshot shows that they took effect
--   rail_offers   what rails can be asked for now; written by rails processes, read by gateways

-- The rail was asked and did not say: look-ups bring the answer.
alter table rail_calls add column unknown_at timestamptz;
drop index rail_calls_open;
create index rail_calls_due on rail_calls (rail, operation, due_at) where state = 'due';
create index rail_calls_sent on rail_calls (payment_id) where state = 'sent';

-- id: the order's, or that of the refund's call. look_at null: there is nothing to be expected any more. One look-up at a time: leased_until is set while one is under
-- way. Each has a number, and only the result of the latest counts.
create table rail_watches (
  id           text collate "C" primary key,
  kind         text collate "C" not null check (kind in ('order', 'refund')),
  rail         text collate "C" not null,
  payment_id   text collate "C" not null,
  -- the rail's own id of it, where a callback told it before the answer to the call did
  reference    text,
  look_at      timestamptz,
  leased_until timestamptz,
  number       integer not null default 0,
  -- how far the schedule of look-ups has come
  step         integer not null default 0,
  watch_until  timestamptz not null
) with (fillfactor = 70);
create index rail_watches_due on rail_watches (rail, look_at) where look_at is not null;

create table rail_facts (
  id         text collate "C" primary key,
  payment_id text collate "C" not null,
  command    text not null,
  stored_at  timestamptz not null default now()
);
create index rail_facts_stored on rail_facts (stored_at);

create table rail_offers (
  rail             text collate "C" not null,
  method           text collate "C" not null,
  -- rails of a method are tried in this order
  rank             smallint not null,
  min_amount       bigint not null,
  max_amount       bigint not null,
  is_refundable    boolean not null,
  -- its charges are not being answered: it is not offered until then
  rests_until      timestamptz,
  seen_at          timestamptz not null,
  primary key (rail, method)
) with (fillfactor = 50);

-- Rails of a merchant's own, in order, in place of those of the environment.
create table merchant_rail_routes (
  merchant_id text collate "C" not null references merchants,
  method      text collate "C" not null,
  rails       text[] not null check (cardinality(rails) between 1 and 5),
  primary key (merchant_id, method)
);
