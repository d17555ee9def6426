-- Rails: the calls to them, their callbacks, and which of them are offered.

-- A rail's transaction is booked once, for one payment: the key refuses a second booking. payment_id may
-- also name the operator task unknown_order that booked it.
create table rail_transactions (
  rail           text collate "C" not null,
  transaction_id text collate "C" not null,
  payment_id     text collate "C" not null,
  -- the day's settlements, for reconciliation
  booked_at      timestamptz default now(),
  primary key (rail, transaction_id)
);
create index rail_transactions_by_time on rail_transactions (rail, booked_at) where rail <> 'sandbox';

-- A call to a rail: due → sent → answered.
--   due        the call has not been made
--   sent       set by compare-and-set before the call is made. A process that finds a sent call without an
--              answer never calls again: it asks the rail for the status. A refund is due again when its
--              request was not sent, or when the rail recognises a repeat by its key.
--              begun_at of a refund: set just before its request; null: nothing was sent for this claim
--   answered   `answer` holds the rail's answer
-- A close that was lost is repeated by a call of its own.
-- unknown_at is set while a call is sent, when the rail was called and gave no clear answer.
create table rail_calls (
  id          text collate "C" primary key,
  payment_id  text collate "C" not null,
  -- takes turns (store/postgres/turns.ts)
  merchant_id text collate "C" not null,
  rail        text collate "C" not null,
  operation   text collate "C" not null,
  state       text collate "C" not null default 'due' check (state in ('due', 'sent', 'answered')),
  request     text not null,
  answer      text,
  due_at      timestamptz not null,
  requested_at timestamptz not null default now(),
  -- when the command that wants the call was sent; earlier than requested_at when it waited, or was applied again
  commanded_at timestamptz not null default now(),
  sent_at     timestamptz,
  begun_at    timestamptz,
  unknown_at  timestamptz,
  answered_at timestamptz
);
-- Refunds without a result, for their deadline.
create index rail_calls_refunds on rail_calls (requested_at)
  where operation = 'refund' and state <> 'answered';
-- Reconciliation compares the refunds of a day.
create index rail_calls_refunded on rail_calls (rail, answered_at)
  where operation = 'refund' and state = 'answered';
create index rail_calls_due on rail_calls (rail, operation, merchant_id, due_at) where state = 'due';
create index rail_calls_sent on rail_calls (payment_id) where state = 'sent';
-- These calls are counted every few seconds, among all calls that were ever made.
create index rail_calls_unknown on rail_calls (rail) where state = 'sent' and unknown_at is not null;
-- Reconciliation compares the orders that expired on a day: money for them arrives later only by mistake.
create index rail_calls_by_expiry on rail_calls (rail, ((request::json ->> 'expiresAtMs')::bigint))
  where operation = 'charge';

-- Repeated status inquiries: for orders that a rail may hold, and for refunds under way. One inquiry runs
-- at a time (leased_until). Inquiries are numbered, and only the result of the latest one counts.
create table rail_watches (
  -- of the order, or of the refund's call
  id           text collate "C" primary key,
  kind         text collate "C" not null check (kind in ('order', 'refund')),
  rail         text collate "C" not null,
  payment_id   text collate "C" not null,
  merchant_id  text collate "C" not null,
  -- the rail's own id of it, if a callback arrived before the answer to the call
  reference    text,
  -- when the next inquiry is due; null: no further inquiries
  look_at      timestamptz,
  leased_until timestamptz,
  number       integer not null default 0,
  -- the step of the inquiry schedule; below zero: of the inquiries after a settlement
  step         integer not null default 0,
  watch_until  timestamptz not null,
  -- when the latest inquiry began: callbacks that arrive too soon after it wait
  inquired_at  timestamptz,
  -- callbacks about it so far, repeats included: a result keeps what a later callback has set
  callbacks    integer not null default 0,
  -- reports of callbacks that no inquiry has confirmed yet
  unconfirmed  text[] not null default '{}'
    check (unconfirmed <@ array['open', 'settled', 'ended', 'reversed', 'given_back']),
  -- the step of the fast schedule, used while something is unconfirmed
  fast_step    integer not null default 0,
  -- how often in a row, and since when, the rail has not known the order of a charge without an answer
  absences     integer not null default 0,
  absent_since timestamptz,
  -- how often inquiries had the order closed again, and the latest of these calls
  closes       integer not null default 0,
  close_id     text collate "C"
) with (fillfactor = 70);
create index rail_watches_due on rail_watches (rail, merchant_id, look_at) where look_at is not null;

-- Commands that follow from a rail's answer, kept until a snapshot shows that they took effect.
create table rail_facts (
  id         text collate "C" primary key,
  payment_id text collate "C" not null,
  command    text not null,
  stored_at  timestamptz not null default now()
);
create index rail_facts_stored on rail_facts (stored_at);

-- The methods that each rail offers now; rails processes write them, gateways read them.
create table rail_offers (
  rail          text collate "C" not null,
  method        text collate "C" not null,
  -- rails of a method are tried in this order
  rank          smallint not null,
  min_amount    bigint not null,
  max_amount    bigint not null,
  -- the longest that the rail keeps an order open, in seconds
  max_expires_in integer not null,
  is_refundable boolean not null,
  -- the rail does not answer charges: it is not offered until then
  rests_until   timestamptz,
  seen_at       timestamptz not null,
  primary key (rail, method)
) with (fillfactor = 50);

-- A merchant's own rails, in order, instead of those of the environment.
create table merchant_rail_routes (
  -- names the row in the audit log
  id          text collate "C" generated always as (merchant_id || ' ' || method) stored,
  merchant_id text collate "C" not null references merchants,
  method      text collate "C" not null,
  rails       text[] not null check (cardinality(rails) between 1 and 5),
  primary key (merchant_id, method)
);
create trigger merchant_rail_routes_audit after insert or update or delete on merchant_rail_routes
  for each row execute function audit_change('id', 'rails');

-- Verified callbacks of rails, byte for byte, each stored once: a repeat is only counted. Forged callbacks
-- are not stored. Statuses:
--   taken           it names an order or a refund that exists: a status inquiry follows
--   unknown_order   it names an order that does not exist: answered 404, and decided from judge_at on
--   booked          decided: the rail has money for it, which is now in platform_suspense, with a task
--   dismissed       decided: the rail has no money for it
--   ignored         signed, but of a type that has no effect here, or not understood
create table rail_callbacks (
  rail         text collate "C" not null,
  dedupe_key   text collate "C" not null,
  status       text collate "C" not null
    check (status in ('taken', 'unknown_order', 'booked', 'dismissed', 'ignored')),
  subject_kind text collate "C",
  subject_id   text collate "C",
  reference    text collate "C",
  amount       bigint,
  currency     text collate "C",
  body         bytea not null,
  received_at  timestamptz not null default now(),
  repeats      integer not null default 0,
  judge_at     timestamptz,
  -- how many times a decision was tried
  judged       integer not null default 0,
  primary key (rail, dedupe_key)
);
create index rail_callbacks_to_judge on rail_callbacks (judge_at) where judge_at is not null;
create index rail_callbacks_by_age on rail_callbacks (received_at);
create index rail_callbacks_by_subject on rail_callbacks (subject_id) where subject_id is not null;
-- An inquiry's result is compared with the callbacks about its order.
create index rail_callbacks_by_order on rail_callbacks (subject_id) where subject_kind = 'order';

-- The timelines of Postgres, when calls were first claimed on each. Another one means that a standby was promoted, which may
-- have lost the last commits of its master (note_timeline).
create table postgres_timelines (
  id            bigint generated always as identity primary key,
  timeline      integer not null,
  first_seen_at timestamptz not null default now()
);
