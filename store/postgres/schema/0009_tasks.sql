-- Operator tasks: matters that only a person can settle. A task is open, then resolved, once, by resolve_task.
create table operator_tasks (
  id                 text collate "C" primary key,
  kind               text collate "C" not null,
  -- the payment or the payout that it is about; an unknown_order has neither
  payment_id         text collate "C",
  payout_id          text collate "C",
  details            text not null,
  status             text collate "C" not null default 'open' check (status in ('open', 'resolved')),
  opened_at          timestamptz not null,
  resolved_at        timestamptz,
  resolved_by        text collate "C",
  -- null although resolved: the thing that it waited for happened by itself
  action             text collate "C",
  note               text,
  -- an administrator is ending its refund: no action of the task may move the money meanwhile
  is_ending          boolean not null default false,
  -- of the transfer by which money left the service
  external_reference text,
  -- the merchant that was credited or debited, and the payment that named the merchant
  target_merchant    text collate "C",
  target_payment     text collate "C",
  constraint operator_tasks_action_resolves check (action is null or status = 'resolved')
);
create index operator_tasks_by_status on operator_tasks (status, opened_at, id);
create index operator_tasks_by_payment on operator_tasks (payment_id);
create index operator_tasks_by_payout on operator_tasks (payout_id) where payout_id is not null;
create trigger operator_tasks_audit after update or delete on operator_tasks for each row
  execute function audit_change('id', 'status', 'action', 'note', 'external_reference',
                                'target_merchant', 'target_payment');
