-- Payouts that turned out otherwise: one that was completed and came back without its rail telling of it, and one that
-- had failed and was paid all the same. Who says so is an administrator (actors/core/payout/decide.ts).
alter table payouts
  -- of the money that came back
  add column reversal_reference      text,
  -- it had failed, as was thought first
  add column corrected_at            timestamptz,
  -- a person has settled that what its row says is true, whatever the rail has said since
  add column contradiction_closed_at timestamptz;

drop trigger payouts_audit on payouts;
create trigger payouts_audit after update on payouts for each row
  when (old.external_reference is distinct from new.external_reference
        or old.reversal_reference is distinct from new.reversal_reference
        or old.corrected_at is distinct from new.corrected_at)
  execute function audit_change('id', 'status', 'external_reference', 'reversal_reference');

-- As in 0021; the new columns are only ever filled, so that a process of before this migration empties none. What
-- has failed moves on only while nobody has settled that it did: who settles it locks the payout first
-- (resolve_task), so one of the two sees the other. What puts a payout right ends its contradiction, too.
create or replace function move_payout(
  p_row jsonb, p_from integer, p_look_up integer, p_due_in_ms bigint,
  p_events jsonb, p_postings jsonb, p_tasks jsonb
) returns boolean language plpgsql as $$
declare
  r payouts := jsonb_populate_record(null::payouts, p_row);
begin
  update payouts
     set status = r.status, version = r.version, rail = r.rail, rail_reference = r.rail_reference,
         external_reference = r.external_reference, failure_code = r.failure_code,
         is_unresolved = r.is_unresolved, is_contradicted = r.is_contradicted,
         sent_at = r.sent_at, completed_at = r.completed_at, failed_at = r.failed_at,
         reversed_at = r.reversed_at, is_unknown = r.is_unresolved,
         reversal_reference = coalesce(r.reversal_reference, reversal_reference),
         corrected_at = coalesce(r.corrected_at, corrected_at),
         contradiction_closed_at = coalesce(contradiction_closed_at, r.contradiction_closed_at),
         due_at = case when p_look_up is null and p_due_in_ms is not null and due_at <= clock_timestamp()
                       then due_at
                       else clock_timestamp() + p_due_in_ms * interval '1 millisecond' end
   where id = r.id and version = p_from and (p_look_up is null or look_ups = p_look_up)
     and not (status = 'FAILED' and contradiction_closed_at is not null);
  if not found then return false; end if;

  perform note_payout_events(r.id, p_events);
  perform book_postings(r.id, p_postings);
  insert into operator_tasks (id, kind, payout_id, details, opened_at)
  select o.id, o.kind, r.id, o.details, date_trunc('milliseconds', now())
    from jsonb_to_recordset(p_tasks) as o (id text, kind text, details text)
  on conflict (id) do nothing;
  if r.status in ('COMPLETED', 'FAILED', 'REVERSED') then
    update operator_tasks
       set status = 'resolved', action = 'acknowledge', note = 'The payout is ' || r.status || '.',
           resolved_at = date_trunc('milliseconds', now()),
           resolved_by = nullif(current_setting('kasir.actor', true), '')
     where payout_id = r.id and status = 'open'
       and (kind in ('payout_manual_required', 'payout_unresolved')
            or kind = 'payout_contradicted' and (r.status = 'REVERSED' or r.corrected_at is not null));
  end if;
  return true;
end
$$;

-- As in 0017, and of a contradicted payout its status.
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
      select lower(o.status) from payouts o where o.id = t.payout_id), 'standing')
    when t.details::jsonb ? 'refundId' then coalesce((
      select r.status from refunds r
       where r.id = t.details::jsonb ->> 'refundId' and r.status in ('succeeded', 'failed')), 'open')
    else 'standing' end
$$;

-- As in 0017; the payout of a task is locked before the task, as move_payout locks them.
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
  if task_standing(resolved) <> standing then
    raise exception 'the matter of a task has moved' using errcode = 'KS004';
  end if;
  if resolved.kind = 'payout_contradicted' then
    update payouts set contradiction_closed_at = date_trunc('milliseconds', now())
     where id = resolved.payout_id;
  end if;
  if amount_ is not null then
    perform post(task, 2, debit_, credit_, amount_, currency_, reason_);
  end if;
  return true;
end
$$;
