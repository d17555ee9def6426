-- Payment links: a page where any number of customers pay a fixed amount, or an amount of their choice.

create table payment_links (
  id          text collate "C" primary key,
  -- the last segment of its address
  slug        text collate "C" not null unique,
  merchant_id text collate "C" not null references merchants,
  environment text collate "C" not null check (environment in ('TEST', 'LIVE')),
  title       text not null,
  description text,
  -- null: the customer chooses, within the bounds
  amount      bigint check (amount > 0),
  min_amount  bigint check (min_amount > 0),
  max_amount  bigint check (max_amount >= min_amount),
  currency    text collate "C" not null,
  -- null: no limit
  max_uses    integer check (max_uses > 0),
  uses        integer not null default 0 check (uses >= 0),
  active      boolean not null default true,
  expires_at  timestamptz,
  success_url text,
  -- whole milliseconds, since list cursors have no finer resolution
  created_at  timestamptz not null default date_trunc('milliseconds', now()),
  check ((amount is null) = (min_amount is not null) and (amount is null) = (max_amount is not null))
) with (fillfactor = 70);
create index payment_links_by_merchant on payment_links (merchant_id, created_at, id);
create trigger payment_links_audit
  after insert or update of id, merchant_id, environment, title, description, amount, min_amount, max_amount, max_uses,
                            active, expires_at, success_url on payment_links
  for each row execute function audit_change('id', 'merchant_id', 'environment', 'title', 'description',
    'amount', 'min_amount', 'max_amount', 'max_uses', 'active', 'expires_at', 'success_url');

-- The uses of a link. A use is claimed here before the command of its payment is sent, so that the rows count
-- the uses, and not a process's memory.
--
--   claimed → made, paid or given_back     given_back → claimed (the form was sent again), paid (late money)
--   claimed      the payment has not been seen yet
--   made         the payment exists and is open
--   paid         the payment is paid or refunded
--   given_back   the payment failed, was cancelled or was never made
--
-- All states but given_back count in payment_links.uses. The state follows from the present status of the
-- payment, so that events may arrive twice or late. A change of a use holds the lock of its link.
create table payment_link_uses (
  payment_id text collate "C" primary key,
  link_id    text collate "C" not null references payment_links,
  state      text collate "C" not null default 'claimed'
    check (state in ('claimed', 'made', 'paid', 'given_back')),
  claimed_at timestamptz not null default clock_timestamp(),
  -- when the claim was last checked
  asked_at   timestamptz
);
create index payment_link_uses_claimed on payment_link_uses (claimed_at) where state = 'claimed';

-- The cursors of follow_payments, which updates payment links and invoices from the events of their payments.
create table payment_follower_cursors (
  partition    smallint primary key,
  position_ms  bigint not null default 0,
  position_seq bigint not null default 0,
  index        integer not null default 0
) with (fillfactor = 20);
