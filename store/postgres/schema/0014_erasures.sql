-- Erasure of personal data (docs/erasure.md).
--
-- An erasure request searches step by step for the payments, payouts and invoices of a customer, and forgets
-- what it searched for when the search is complete. Each object to be erased has a row in `erasures`:
--
--   asked → erased → swept
--   asked    waits. A payment is erased by its actor first, then its traces elsewhere are erased.
--   erased   erased_at is set
--   swept    swept_at is set: erased once more a minute later, for data that was under way
--
-- Each step can be repeated, so any process may continue. The row is kept: data that is logged later about an
-- erased object is not stored.

create table erasure_requests (
  id                text collate "C" primary key,
  merchant_id       text collate "C" not null references merchants,
  environment       text collate "C" not null check (environment in ('TEST', 'LIVE')),
  field             text collate "C" not null check (field in
    ('payment_id', 'payout_id', 'invoice_id', 'customer_email', 'customer_phone', 'reference_id')),
  -- null when the search is complete
  sought            text,
  with_reference    boolean not null,
  -- whole milliseconds, since list cursors have no finer resolution
  created_at        timestamptz not null default date_trunc('milliseconds', now()),
  -- the last of the merchant's payments that was searched
  reached_at        timestamptz not null default '-infinity',
  reached_id        text collate "C" not null default '',
  looked_through_at timestamptz,
  -- when the next part was due to be searched: each part moves it on
  look_at           timestamptz not null default now(),
  completed_at      timestamptz,
  check ((sought is null) = (looked_through_at is not null))
);
create index erasure_requests_by_merchant on erasure_requests (merchant_id, created_at, id);
create index erasure_requests_open on erasure_requests (created_at) where completed_at is null;
-- in the order of turns (store/postgres/turns.ts)
create index erasure_requests_to_search on erasure_requests ((environment || ' ' || merchant_id), look_at)
  where looked_through_at is null;
-- `sought` is not audited: the audit log would keep it.
create trigger erasure_requests_audit after insert on erasure_requests for each row
  execute function audit_change('id', 'merchant_id', 'environment', 'field', 'with_reference');

create table erasures (
  -- of a payment, a payout or an invoice
  id             text collate "C" primary key,
  merchant_id    text collate "C" not null,
  environment    text collate "C" not null,
  with_reference boolean not null,
  asked_at       timestamptz not null default now(),
  -- when the next step is due. A process that takes a step moves it on, so that others leave the row alone.
  look_at        timestamptz not null default now(),
  erased_at      timestamptz,
  swept_at       timestamptz
);
create index erasures_due on erasures ((environment || ' ' || merchant_id), look_at) where swept_at is null;

create table erasure_finds (
  request_id text collate "C" not null references erasure_requests,
  subject_id text collate "C" not null references erasures,
  primary key (request_id, subject_id)
);

-- The progress of erasure by age, per merchant and kind of object.
create table erasure_walks (
  kind        text collate "C" not null,
  merchant_id text collate "C" not null references merchants,
  environment text collate "C" not null,
  reached_at  timestamptz not null,
  reached_id  text collate "C" not null,
  primary key (kind, merchant_id, environment)
);
