-- The ledger.

-- Double entry, append only: a row moves an amount from the debit account to the credit account. The key
-- names the cause and the version of it, so that no transition can be posted twice:
--   payment, payout   the version that its transition wrote
--   task              1: its opening, if that books money (unknown_order); 2: its resolution
--   booking, approval 1
-- A correction of a posting has its key, with 1000 added to the index (correct_manual_postings).
create table postings (
  cause_kind text collate "C" not null check (cause_kind in ('payment', 'payout', 'task', 'booking', 'approval')),
  -- ids of different kinds differ in their prefix
  cause_id   text collate "C" not null,
  version    integer not null,
  index      smallint not null,
  debit      text collate "C" not null,
  credit     text collate "C" not null check (credit <> debit),
  amount     bigint not null check (amount > 0),
  currency   text collate "C" not null,
  reason     text collate "C" not null,
  at         timestamptz not null,
  primary key (cause_id, version, index)
);
-- For statements of merchants. The rails' side of a posting is in no statement, so that a settlement pays
-- for one index entry only.
create index postings_by_credit on postings (credit, at)
  where credit not like 'rail\_clearing:%';
create index postings_by_debit on postings (debit, at)
  where debit not like 'rail\_clearing:%';

-- Credits minus debits of each account, moved by the statement that writes the postings. A merchant's account has one
-- row (shard 0), whose lock keeps payouts from overdrawing it. Every settlement of a rail moves the platform's account of
-- that rail, so such an account has a row per partition (shards from 0) and some for other writers (below 0): commits of
-- two processes never wait for each other there (find_shard in functions/ledger.sql). Read balances, not these rows.
create table balance_rows (
  account  text collate "C" not null,
  shard    smallint not null default 0,
  currency text collate "C" not null,
  amount   bigint not null,
  primary key (account, shard)
) with (fillfactor = 50);

create view balances as
  select account, min(currency) as currency, sum(amount)::bigint as amount
    from balance_rows group by account;

-- The balances of merchants' accounts at the begin of a month (UTC). A statement reads the movements of one month instead
-- of those of all years. The rows follow from postings and may be deleted.
create table balance_checkpoints (
  account text collate "C" not null,
  at      timestamptz not null,
  amount  bigint not null,
  primary key (account, at)
);

-- Bookings by an operator, from the reports of a rail or of our bank (actors/core/rails/bookings.ts): fees,
-- and money that moved between a rail and our own account.
create table rail_bookings (
  id        text collate "C" primary key,
  kind      text collate "C" not null check (kind in ('fee', 'fee_returned', 'settled', 'topped_up')),
  rail      text collate "C" not null,
  amount    bigint not null check (amount > 0),
  currency  text collate "C" not null,
  reference text not null,
  note      text not null,
  booked_at timestamptz not null default date_trunc('milliseconds', now()),
  unique (rail, kind, reference)
);
create trigger rail_bookings_audit after insert or update or delete on rail_bookings for each row
  execute function audit_change('id', 'kind', 'rail', 'amount', 'reference', 'note');
