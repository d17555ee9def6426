-- Operator tasks.

-- Tasks are opened in many places and seldom. So one trigger names their merchant and environment, which every
-- list filters by.
create or replace function name_task_owner() returns trigger language plpgsql as $$
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

-- The state of the matter of a task, besides the task's own status. It decides which actions are allowed
-- (actors/core/tasks/allowed-actions.ts). By kind:
--   settlement_suspended   standing; reversed: the rail took the money back
--   suspense_reversed      what happened to the money before: unspent, returned, or credited:<merchant>
--   payout_contradicted    the status of the payout, in lower case; written_off: the platform bears it already
--   refund_contradicted    succeeded or failed; ending: an end of the refund by hand is under way: claimed, or approved by
--                          two administrators
--   refund_…               open, succeeded or failed: the status of the refund
--   rail_difference        bookable: its details say what to book; else standing
--   others                 standing
create or replace function task_standing(t operator_tasks) returns text language sql stable as $$
  select case
    when t.kind = 'settlement_suspended' then
      case when exists (
        select from operator_tasks s
         where s.payment_id = t.payment_id and s.kind = 'suspense_reversed'
           and s.details::jsonb ->> 'rail' = t.details::jsonb ->> 'rail'
           and s.details::jsonb ->> 'railTransactionId' = t.details::jsonb ->> 'railTransactionId')
      then 'reversed' else 'standing' end
    when t.kind = 'suspense_reversed' then coalesce((
      select case when s.action = 'return' then 'returned'
                  when s.action in ('credit', 'assign') then 'credited:' || s.target_merchant end
        from operator_tasks s
       where s.payment_id = t.payment_id and s.kind = 'settlement_suspended'
         and s.details::jsonb ->> 'rail' = t.details::jsonb ->> 'rail'
         and s.details::jsonb ->> 'railTransactionId' = t.details::jsonb ->> 'railTransactionId'),
      'unspent')
    when t.kind = 'payout_contradicted' then coalesce((
      select case when o.is_written_off then 'written_off' else lower(o.status) end
        from payouts o where o.id = t.payout_id), 'standing')
    when t.kind = 'rail_difference' then
      case when t.details::jsonb ? 'booking' then 'bookable' else 'standing' end
    when t.details::jsonb ? 'refundId' then coalesce((
      select case when r.status = 'failed' and (t.is_ending or exists (
                    select from approvals a
                     where coalesce(a.refund_id, a.payout_id, a.task_id) = r.id and a.status = 'approved'
                       and a.kind in ('refund_completion', 'refund_failure') and t.status = 'open'
                       and t.kind = 'refund_contradicted'))
                  then 'ending' else r.status end
        from refunds r
       where r.id = t.details::jsonb ->> 'refundId' and r.status in ('succeeded', 'failed')), 'open')
    else 'standing' end
$$;

-- Resolves an open task, once; with an amount it also moves the money. Returns false if the task is not open or
-- does not exist. KS005 if the state of its matter is no longer `standing`, which the decision was based on:
-- nothing is stored.
--
-- Locks: the payout before the task, as move_payout does; and the suspended settlements of a reversal, so that
-- of a reversal and the resolution of the settlement one sees the other.
create or replace function resolve_task(
  task text, standing text, action_ text, note_ text, reference_ text, merchant_ text, payment_ text,
  by_ text, debit_ text, credit_ text, amount_ bigint, currency_ text, reason_ text
) returns boolean language plpgsql as $$
declare
  resolved operator_tasks;
begin
  perform from payouts where id = (select t.payout_id from operator_tasks t where t.id = task) for update;
  perform from operator_tasks
    where kind = 'settlement_suspended' and payment_id = (
      select t.payment_id from operator_tasks t where t.id = task and t.kind = 'suspense_reversed')
    order by id for update;
  update operator_tasks
     set status = 'resolved', action = action_, note = note_, external_reference = reference_,
         target_merchant = merchant_, target_payment = payment_, resolved_by = by_,
         resolved_at = now()
   where id = task and status = 'open'
  returning * into resolved;
  if not found then return false; end if;
  -- As it was before: only an open task is kept from moving the money by an approval.
  resolved.status := 'open';
  if task_standing(resolved) <> standing then
    raise exception 'the matter of a task has moved' using errcode = 'KS005';
  end if;
  if resolved.kind = 'payout_contradicted' then
    update payouts
       set contradiction_closed_at = date_trunc('milliseconds', now()),
           is_written_off = is_written_off or action_ = 'write_off'
     where id = resolved.payout_id;
  end if;
  if amount_ is not null then
    perform post('task', task, 2, debit_, credit_, amount_, currency_, reason_);
  end if;
  return true;
end
$$;

-- Books money of a rail for an unknown order into the platform's suspense, with a task. Returns false if the
-- transaction was booked before, here or on a payment.
create or replace function book_unknown_order(
  task text, rail_ text, transaction_ text, details_ text, debit_ text, credit_ text, amount_ bigint,
  currency_ text
) returns boolean language plpgsql as $$
begin
  insert into rail_transactions (rail, transaction_id, payment_id)
  values (rail_, transaction_, task) on conflict do nothing;
  if not found then return false; end if;
  insert into operator_tasks (id, kind, details, opened_at)
  values (task, 'unknown_order', details_, date_trunc('milliseconds', now()));
  perform post('task', task, 1, debit_, credit_, amount_, currency_, 'order_unknown');
  return true;
end
$$;

-- Opens a task for each merchant whose available LIVE balance is below zero, and closes those whose balance is
-- not any more. A balance has one open task. Acknowledged, it gets another one only when it has fallen further
-- or when `remind_after` has passed. Repeated and concurrent calls derive the same ids, so they open one task.
create or replace function follow_negative_balances(remind_after interval) returns void language plpgsql as $$
begin
  update operator_tasks t
     set status = 'resolved', note = 'The balance is not below zero any more.',
         resolved_at = date_trunc('milliseconds', now())
   where t.kind = 'balance_negative' and t.status = 'open' and t.environment = 'LIVE'
     and not exists (select from balances b where b.account = t.details::jsonb ->> 'account' and b.amount < 0);

  insert into operator_tasks (id, kind, merchant_id, environment, details, opened_at)
  select 'task_' || md5(b.account || ':' || known.tasks), 'balance_negative', b.merchant, 'LIVE',
         json_build_object('account', b.account, 'balance', b.amount::text, 'currency', b.currency)::text,
         date_trunc('milliseconds', now())
    from (select account, amount, currency, split_part(account, ':', 2) as merchant from balances
           where account like 'merchant\_available:%' and split_part(account, ':', 3) = 'LIVE'
             and amount < 0) as b
         cross join lateral (
           select count(*) as tasks,
                  coalesce(bool_or(t.status = 'open' or t.action is not null
                                   and t.resolved_at > now() - remind_after
                                   and (t.details::jsonb ->> 'balance')::bigint <= b.amount), false) as is_known
             from operator_tasks t
            where t.merchant_id = b.merchant and t.kind = 'balance_negative'
              and t.details::jsonb ->> 'account' = b.account) as known
   where not known.is_known
  on conflict (id) do nothing;
end
$$;
