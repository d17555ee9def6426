-- Totals of a merchant's payments for its home page. follow_totals adds the committed events of payments, so that a create
-- pays nothing. They hold no personal data, and stay when a customer is erased.

-- The outcomes of a quarter of an hour, by the time of the event. Quarters add up to the hours and days of every time zone.
create table payment_totals (
  merchant_id text collate "C" not null,
  environment text collate "C" not null check (environment in ('TEST', 'LIVE')),
  quarter     timestamptz not null,
  -- failed: expired too. reversed: the rail took the money of a paid payment back.
  outcome     text collate "C" not null
    check (outcome in ('paid', 'failed', 'cancelled', 'refunded', 'reversed')),
  currency    text collate "C" not null,
  events      bigint not null,
  -- of a refund: the part that was refunded
  amount      bigint not null,
  primary key (merchant_id, environment, quarter, outcome, currency)
) with (fillfactor = 80);

-- The last event of each partition that is in the totals.
create table payment_totals_cursors (
  partition    smallint primary key,
  position_ms  bigint not null default 0,
  position_seq bigint not null default 0,
  index        integer not null default 0
) with (fillfactor = 20);

-- The home page counts the refunds of its merchant that are made by hand. A refund enters this index only then.
create index refunds_by_hand on refunds (merchant_id, environment) where status = 'manual_required';
