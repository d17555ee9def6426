-- Operator tasks are resolved: how, by whom, and by which money.
--
-- A posting is keyed by what caused it: postings.payment_id names a payment, whose version wrote it, or a task.
-- Of a task version 1 is its opening, where that books money, and 2 its resolution, so neither can be
-- posted twice, whatever becomes of its status.

alter table operator_tasks
  add column action             text collate "C",
  add column note               text,
  -- of the payment by which money left the service
  add column external_reference text,
  -- who was credited or debited; with the payment that named the merchant
  add column target_merchant    text collate "C",
  add column target_payment     text collate "C",
  add column resolved_by        text collate "C",
  -- resolved without an action: what it waited for came by itself
  add constraint operator_tasks_action_resolves check (action is null or status = 'resolved');
create index operator_tasks_by_status on operator_tasks (status, opened_at, id);
create index operator_tasks_by_payment on operator_tasks (payment_id);
-- For lists of administrators over all merchants.
create index refunds_by_status on refunds (status, created_at, id);

create trigger operator_tasks_audit after update or delete on operator_tasks for each row
  execute function audit_change('id', 'status', 'action', 'note', 'external_reference',
                                'target_merchant', 'target_payment');

-- How the matter of a task stands, beside its own row; it decides what may be done (actors/core/tasks/ways.ts).
--   settlement_suspended   standing, or reversed: the rail has taken the money back
--   suspense_reversed      what had become of the money: unspent, returned, or credited:<merchant>
--   refund_…               open, succeeded or failed: the refund
--   others                 standing
create function task_standing(t operator_tasks) returns text language sql stable as $$
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
    when t.details::jsonb ? 'refundId' then coalesce((
      select r.status from refunds r
       where r.id = t.details::jsonb ->> 'refundId' and r.status in ('succeeded', 'failed')), 'open')
    else 'standing' end
$$;

-- One posting and the balances that it moves, in the order of their accounts, as commits move them.
create function post(cause text, version_ integer, debit_ text, credit_ text, amount_ bigint,
                     currency_ text, reason_ text)
returns void language plpgsql as $$
begin
  insert into postings (payment_id, version, index, debit, credit, amount, currency, reason, at)
  values (cause, version_, 0, debit_, credit_, amount_, currency_, reason_,
          date_trunc('milliseconds', now()));
  insert into balances as b (account, currency, amount)
  select m.account, currency_, m.amount
    from (values (debit_, -amount_), (credit_, amount_)) as m (account, amount)
   order by m.account
  on conflict (account) do update set amount = b.amount + excluded.amount;
end
$$;

-- Resolves a task that is open, once; with an amount it moves that money. False: it is not open, or there is
-- none. KS004: the matter does not stand any more as it stood for whoever decided, so nothing is kept.
-- A reversal waits for the resolution of what it takes back: one of the two sees the other.
create function resolve_task(
  task text, standing text, action_ text, note_ text, reference_ text, merchant_ text, payment_ text,
  by_ text, debit_ text, credit_ text, amount_ bigint, currency_ text, reason_ text
) returns boolean language plpgsql as $$
declare
  resolved operator_tasks;
begin
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
  if task_standing(resolved) <> standing then
    raise exception 'the matter of a task has moved' using errcode = 'KS004';
  end if;
  if amount_ is not null then
    perform post(task, 2, debit_, credit_, amount_, currency_, reason_);
  end if;
  return true;
end
$$;

-- Money of a rail for an order that nobody knows: into the platform's suspense, with a task. False: that
-- transaction is booked already, here or on a payment.
create function book_unknown_order(task text, rail_ text, transaction_ text, details_ text,
                                   debit_ text, credit_ text, amount_ bigint, currency_ text)
returns boolean language plpgsql as $$
begin
  insert into rail_transactions (rail, transaction_id, payment_id)
  values (rail_, transaction_, task) on conflict do nothing;
  if not found then return false; end if;
  insert into operator_tasks (id, kind, details, opened_at)
  values (task, 'unknown_order', details_, date_trunc('milliseconds', now()));
  perform post(task, 1, debit_, credit_, amount_, currency_, 'order_unknown');
  return true;
end
$$;
