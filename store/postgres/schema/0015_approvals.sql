-- Approvals: changes of money that one administrator proposes and another one approves (actors/core/approvals/kinds.ts).
-- Each transition is one statement by compare-and-set on the status.
create table approvals (
  id              text collate "C" primary key,
  kind            text collate "C" not null check (kind in (
    'settlement', 'reversal', 'refund', 'chargeback',
    'adjustment_credit', 'adjustment_debit', 'reserve_hold', 'reserve_release',
    'refund_completion', 'refund_failure', 'payout_completion', 'payout_failure', 'payout_reversal',
    'task_resolution')),
  -- money of TEST needs no second person
  environment     text collate "C" not null check (environment = 'LIVE'),
  status          text collate "C" not null default 'proposed'
    check (status in ('proposed', 'approved', 'applied', 'refused', 'rejected')),
  -- the objects that it changes
  merchant_id     text collate "C",
  payment_id      text collate "C",
  refund_id       text collate "C",
  payout_id       text collate "C",
  task_id         text collate "C",
  amount          bigint not null check (amount > 0),
  currency        text collate "C" not null,
  -- names the cause, so that one cause is booked once
  reference       text not null,
  -- JSON of texts: the change to be made
  request         text not null,
  reason          text,
  proposed_by     text collate "C" not null,
  proposed_at     timestamptz not null default date_trunc('milliseconds', now()),
  -- approved or rejected
  decided_by      text collate "C",
  decided_at      timestamptz,
  decision_reason text,
  ended_at        timestamptz,
  -- why it was refused
  outcome_code    text collate "C",
  outcome_message text,
  -- one process at a time applies it; a later claim takes the work over from a process that died
  claim           integer not null default 0,
  claimed_until   timestamptz,
  constraint approvals_four_eyes
    check (decided_by is null or status = 'rejected' or decided_by <> proposed_by),
  constraint approvals_decided
    check ((status = 'proposed') = (decided_by is null) and (decided_by is null) = (decided_at is null)),
  constraint approvals_ended
    check ((status in ('applied', 'refused', 'rejected')) = (ended_at is not null)),
  constraint approvals_outcome check ((status = 'refused') = (outcome_code is not null))
);
create unique index approvals_by_reference on approvals (kind, reference)
  where status not in ('refused', 'rejected');
-- A refund, payout or task has one approval at a time that may still act on it.
create unique index approvals_by_subject on approvals (coalesce(refund_id, payout_id, task_id))
  where status in ('proposed', 'approved') and coalesce(refund_id, payout_id, task_id) is not null;
create index approvals_by_time on approvals (proposed_at, id);
create index approvals_waiting on approvals (status, proposed_at, id) where status in ('proposed', 'approved');
create index approvals_by_task on approvals (task_id) where task_id is not null;

create trigger approvals_audit after insert or update or delete on approvals for each row
  execute function audit_change('id', 'kind', 'status', 'merchant_id', 'payment_id', 'refund_id', 'payout_id',
                                'task_id', 'amount', 'reference', 'request', 'reason', 'proposed_by',
                                'decided_by', 'decision_reason', 'outcome_code', 'outcome_message');
