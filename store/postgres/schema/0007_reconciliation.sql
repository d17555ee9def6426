-- Reconciliation with rails, one run per rail and day (actors/rails/reconcile/). Each page of a run is one
-- statement that moves its cursor by compare-and-set on `lease`. So any process may continue a run, and a
-- repeated page counts once.
--
--   list → ask → payouts → ended
--   list    compares every page of the rail's list of the day: payments, refunds, payouts
--   ask     asks the rail for every payment of the day, paid or refunded, that the list did not name
--   payouts asks the rail for every payout of the day that the list did not name; only of a rail that pays out
--   ended   ended_at is set; the run is repeated later if the rail left orders unanswered
--
-- A day is one in Jakarta, since the rails close their books by it.
create table rail_reconciliations (
  rail         text collate "C" not null,
  day          date not null,
  -- null: nothing is to be done
  due_at       timestamptz default now(),
  asked_at     timestamptz not null default now(),
  lease        integer not null default 0,
  leased_until timestamptz,
  step         text collate "C" not null default 'list' check (step in ('list', 'ask', 'payouts')),
  -- the progress of the step; null: not begun
  cursor       text collate "C",
  -- consecutive pages that got no answer
  postponed    integer not null default 0,
  matched      integer not null default 0,
  -- orders whose status the rail did not tell
  unanswered   integer not null default 0,
  -- how many times the run was repeated because of unanswered orders
  repeated     integer not null default 0,
  ended_at     timestamptz,
  primary key (rail, day)
);

-- Orders, refunds and payouts (order_id) that the rail's list of the day named; kept while the run lasts.
create table rail_sightings (
  rail     text collate "C" not null,
  day      date not null,
  order_id text collate "C" not null,
  primary key (rail, day, order_id)
);

-- The differences that the last run of a day found.
--   missing     we have it, the rail does not
--   orphan      the rail has money for an order that we do not have
--   differing   both have it, with different values of `field`
-- order_id may also name a payout; subject the transaction or the refund of the order.
create table rail_differences (
  rail       text collate "C" not null,
  day        date not null,
  order_id   text collate "C" not null,
  kind       text collate "C" not null check (kind in ('missing', 'orphan', 'differing')),
  field      text collate "C" not null check (field in ('status', 'amount', 'currency', 'refund', 'payout')),
  subject    text collate "C" not null default '',
  payment_id text collate "C",
  ours       text not null,
  theirs     text not null,
  found_at   timestamptz not null default now(),
  primary key (rail, day, order_id, kind, field, subject)
);
