-- Invoices: a draft can be changed; a finalized invoice has a number and a page where it is paid.
--
--   draft → open → paid     draft, open → void     paid → open (its payment was reversed)
--
-- The status follows from the present status of the invoice's payments (settle_invoices), so that events may
-- arrive twice, late or in any order. A change of an invoice, or a new payment for it, holds the lock of its row.
create table invoices (
  id             text collate "C" primary key,
  merchant_id    text collate "C" not null references merchants,
  environment    text collate "C" not null check (environment in ('TEST', 'LIVE')),
  -- given on finalization: 1, 2, 3 … per merchant and environment, without gaps
  number         bigint check (number > 0),
  status         text collate "C" not null default 'draft'
    check (status in ('draft', 'open', 'paid', 'void')),
  customer_name  text,
  customer_email text,
  -- of the mail to the customer
  language       text collate "C" not null check (language in ('id', 'en')),
  notes          text,
  currency       text collate "C" not null,
  -- JSON: [{description, quantity, unit_amount}]
  items          text not null,
  total          bigint not null check (total > 0),
  due_at         timestamptz,
  -- counts the changes of a draft
  revision       integer not null default 1,
  -- the payment that paid it
  payment_id     text collate "C",
  -- whole milliseconds, since list cursors have no finer resolution
  created_at     timestamptz not null default date_trunc('milliseconds', now()),
  finalized_at   timestamptz,
  paid_at        timestamptz,
  voided_at      timestamptz,
  unique (merchant_id, environment, number),
  check ((number is null) = (finalized_at is null)),
  check ((status = 'paid') = (payment_id is not null)),
  check (status in ('draft', 'void') or number is not null)
);
create index invoices_by_merchant on invoices (merchant_id, created_at, id);
create index invoices_by_customer on invoices (merchant_id, lower(customer_email))
  where customer_email is not null;
create trigger invoices_audit after insert or update on invoices for each row
  execute function audit_change('id', 'merchant_id', 'environment', 'status', 'number', 'total', 'payment_id');

create table invoice_counters (
  merchant_id text collate "C" not null references merchants,
  environment text collate "C" not null,
  last_number bigint not null,
  primary key (merchant_id, environment)
) with (fillfactor = 50);

-- The payments that were begun for an invoice. The id of each follows from the invoice and the attempt, and its
-- content from the invoice, so that a payment that has not been seen yet can be requested again.
create table invoice_payments (
  invoice_id text collate "C" not null references invoices,
  attempt    integer not null,
  payment_id text collate "C" not null unique,
  begun_at   timestamptz not null default clock_timestamp(),
  primary key (invoice_id, attempt)
);
