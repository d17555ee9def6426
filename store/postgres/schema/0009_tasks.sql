-- Operator tasks: matters that only a person can settle. A task is open, then resolved, once, by resolve_task.
create table operator_tasks (
  id                 text collate "C" primary key,
  kind               text collate "C" not null,
  -- the payment or the payout that it is about; an unknown_order has neither
  payment_id         text collate "C",
  payout_id          text collate "C",
  -- of that payment or payout (name_task_owner), or whose balance it is about; a task of an unknown order is about
  -- LIVE money of no merchant
  merchant_id        text collate "C",
  environment        text collate "C" not null check (environment in ('TEST', 'LIVE')),
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
-- Tasks of TEST pile up, because nobody has to resolve them: lists of LIVE must not read them.
create index operator_tasks_by_status on operator_tasks (environment, status, opened_at, id);
create index operator_tasks_by_merchant on operator_tasks (merchant_id, kind) where merchant_id is not null;
create index operator_tasks_by_payment on operator_tasks (payment_id);
create index operator_tasks_by_payout on operator_tasks (payout_id) where payout_id is not null;

-- Tasks are opened in many places and seldom. So one trigger names their merchant and environment, which every
-- list filters by.
create function name_task_owner() returns trigger language plpgsql as $$
declare
  merchant_ text;
  environment_ text;
begin
  select merchant_id, environment into merchant_, environment_
    from (select merchant_id, environment from payments where id = new.payment_id
          union all
          select merchant_id, environment from payouts where id = new.payout_id) as matter
   limit 1;
  new.merchant_id := coalesce(new.merchant_id, merchant_);
  new.environment := coalesce(new.environment, environment_, 'LIVE');
  return new;
end $$;
create trigger operator_tasks_owner before insert on operator_tasks for each row
  execute function name_task_owner();

create trigger operator_tasks_audit after update or delete on operator_tasks for each row
  execute function audit_change('id', 'status', 'action', 'note', 'external_reference',
                                'target_merchant', 'target_payment');
