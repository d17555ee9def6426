-- Payouts: money of merchants that is sent to bank accounts.
--
--   PENDING           → PROCESSING (sent to a rail) or MANUAL_REQUIRED (no rail pays out)
--   PENDING           → FAILED, cancelled by its merchant or an administrator
--   PROCESSING        → COMPLETED or FAILED, by the rail's answer
--   MANUAL_REQUIRED   → COMPLETED or FAILED, by an administrator
--   COMPLETED         → REVERSED, when the money comes back
--   FAILED            → COMPLETED, by an administrator, when the money was paid after all
-- What the rail says against the status is a task (payout_contradicted) until an administrator has decided.
--
-- actors/core/payout/decide.ts decides each transition; move_payout stores it.
create table payouts (
  id                      text collate "C" primary key,
  merchant_id             text collate "C" not null,
  environment             text collate "C" not null check (environment in ('TEST', 'LIVE')),
  status                  text collate "C" not null check (status in
    ('PENDING', 'PROCESSING', 'COMPLETED', 'FAILED', 'MANUAL_REQUIRED', 'REVERSED')),
  amount                  bigint not null check (amount > 0),
  currency                text collate "C" not null,
  bank_code               text collate "C" not null,
  account_number          text collate "C" not null,
  account_holder          text not null,
  reference_id            text,
  description             text,
  fingerprint             text collate "C" not null,
  version                 integer not null check (version > 0),
  -- stored before the rail is called, never changed
  rail                    text collate "C",
  rail_reference          text,
  external_reference      text,
  -- of the money that came back
  reversal_reference      text,
  failure_code            text collate "C",
  is_unresolved           boolean not null default false,
  -- the rail's latest word against the row
  contradiction           text collate "C" check (contradiction in ('completed', 'failed', 'reversed')),
  created_at              timestamptz not null,
  sent_at                 timestamptz,
  completed_at            timestamptz,
  failed_at               timestamptz,
  reversed_at             timestamptz,
  -- an administrator completed it after it had failed
  corrected_at            timestamptz,
  -- an administrator decided about the contradiction
  contradiction_closed_at timestamptz,
  -- the decision: the money has left, against the status, and the platform bears it
  is_written_off          boolean not null default false,

  -- The columns from here on are the work of the rails process, and not part of the payout's state.
  -- when it is to be sent, or when its next status inquiry is due
  due_at                  timestamptz,
  -- counts status inquiries; a result that is not of the latest one is dropped
  look_ups                integer not null default 0,
  -- of the rail's latest callback: its status may lag behind it
  called_back_at          timestamptz,
  -- the rail's last answer was not clear
  is_unknown              boolean not null default false,
  check (status <> 'PROCESSING' or rail is not null)
);
create index payouts_by_merchant on payouts (merchant_id, environment, created_at, id);
create index payouts_by_time on payouts (created_at, id);
-- in the order of turns (store/postgres/turns.ts)
create index payouts_to_send on payouts ((environment || ' ' || merchant_id), due_at)
  where status = 'PENDING' and due_at is not null;
create index payouts_to_inquire on payouts ((environment || ' ' || merchant_id), due_at)
  where status <> 'PENDING' and due_at is not null;
-- Reconciliation compares the payouts that were sent to a rail on a day.
create index payouts_by_sending on payouts (rail, sent_at) where rail <> 'sandbox';
-- Pending payouts are not in this index: without statistics of a flood, the planner would read it whole for each turn.
create index payouts_open on payouts (status) where status in ('PROCESSING', 'MANUAL_REQUIRED');
-- Audited are the changes that an administrator makes, and a change of the destination while money may still be sent
-- there, which no code makes. The erasure of a payout that has ended is not one.
create trigger payouts_audit after update on payouts for each row
  when (old.external_reference is distinct from new.external_reference
        or old.reversal_reference is distinct from new.reversal_reference
        or old.corrected_at is distinct from new.corrected_at
        or old.status in ('PENDING', 'PROCESSING', 'MANUAL_REQUIRED')
           and (old.merchant_id, old.environment, old.amount, old.currency, old.bank_code, old.account_number,
                old.account_holder)
               is distinct from (new.merchant_id, new.environment, new.amount, new.currency, new.bank_code,
                                 new.account_number, new.account_holder))
  execute function audit_change('id', 'status', 'external_reference', 'reversal_reference', 'corrected_at',
                                'merchant_id', 'environment', 'amount', 'currency', 'bank_code',
                                '#account_number', '#account_holder');

-- Every transition of every payout. Its deliveries to webhook endpoints are inserted with it (note_payout_events), so
-- no cursor passes these events.
create table payout_events (
  payout_id   text collate "C" not null,
  version     integer not null,
  type        text collate "C" not null,
  at          timestamptz not null,
  event       text not null,
  -- set with the envelope only
  merchant_id text collate "C",
  environment text collate "C",
  envelope    text,
  primary key (payout_id, version)
);
create index payout_events_by_merchant
  on payout_events (merchant_id, environment, at, payout_id, version)
  where envelope is not null;
