-- The states of endpoints as merchants see them, and money that was taken back or came late.

alter table webhook_endpoint_failures
  -- failed attempts since the last success
  add column failures     integer not null default 1,
  -- nothing is sent to the endpoint until then
  add column paused_until timestamptz;

-- Until then the deliveries of an endpoint that was switched off wait for it to be switched on again. null: they die.
alter table webhook_endpoints add column holds_until timestamptz;
create or replace trigger webhook_endpoints_audit after insert or update or delete on webhook_endpoints for each row
  execute function audit_change('id', 'merchant_id', 'environment', 'url', 'events', 'active', '#secret',
                                '#next_secret', 'switch_at', 'deleted_at', 'holds_until');

-- Payments that the customer's bank took back, and payments that were paid after they had ended. Filled by the follower of
-- payments (follow_payments), so that a create pays nothing for it.
create table payment_matters (
  payment_id  text collate "C" not null,
  kind        text collate "C" not null check (kind in ('charged_back', 'paid_late')),
  merchant_id text collate "C" not null,
  environment text collate "C" not null check (environment in ('TEST', 'LIVE')),
  at          timestamptz not null,
  primary key (payment_id, kind)
);
create index payment_matters_by_time on payment_matters (merchant_id, environment, kind, at);

-- A mail about each chargeback, on unless the merchant switches it off.
alter table merchants
  alter column notices set default '{charged_back,endpoint_disabled,endpoint_failing,kyc_decided,payout_failed}',
  drop constraint merchants_notices_check,
  add constraint merchants_notices check
    (notices <@ '{charged_back,endpoint_disabled,endpoint_failing,kyc_decided,payment_received,payout_failed}');
update merchants set notices = array['charged_back'] || notices;
alter table notices
  drop constraint notices_kind_check,
  add constraint notices_kind check
    (kind in ('charged_back', 'endpoint_failing', 'endpoint_disabled', 'payment_received', 'payout_failed',
              'kyc_decided', 'receipt'));
