-- Reconciliation with rails.

-- Stores a page with all that follows from it. Returns false if another process took the run over: nothing is
-- stored. `next_step` null: the run has ended. The arguments from `sightings` on are JSON arrays.
create or replace function record_reconciled_page(
  rail_ text, day_ date, lease_ integer, lease_ms float8, next_step text, next_cursor text,
  matched_ integer, unanswered_ integer, again_ms float8, again_most integer,
  sightings jsonb, differences jsonb, orphans jsonb, look_ups jsonb
) returns boolean language plpgsql as $$
declare
  is_end constant boolean := next_step is null;
begin
  update rail_reconciliations
     set step = coalesce(next_step, 'list'), cursor = next_cursor, postponed = 0,
         matched = matched + matched_, unanswered = unanswered + unanswered_,
         leased_until = case when not is_end then now() + lease_ms * interval '1 millisecond' end,
         ended_at = case when is_end then now() end,
         repeated = case when is_end then repeated + 1 else repeated end,
         due_at = case when not is_end then due_at
                       when unanswered + unanswered_ > 0 and repeated < again_most
                         then now() + again_ms * interval '1 millisecond' end
   where rail = rail_ and day = day_ and lease = lease_;
  if not found then return false; end if;

  insert into rail_sightings (rail, day, order_id)
  select rail_, day_, s.id from jsonb_array_elements_text(sightings) as s (id)
  on conflict do nothing;
  if is_end then
    delete from rail_sightings where rail = rail_ and day = day_;
  end if;

  insert into rail_differences (rail, day, order_id, kind, field, payment_id, ours, theirs)
  select rail_, day_, d."orderId", d.kind, d.field, d."paymentId", d.ours, d.theirs
    from jsonb_to_recordset(differences)
      as d ("orderId" text, kind text, field text, "paymentId" text, ours text, theirs text)
  on conflict do nothing;
  insert into operator_tasks (id, kind, payment_id, details, opened_at)
  select d.task ->> 'id', 'rail_difference', d."paymentId", d.task ->> 'details',
         date_trunc('milliseconds', now())
    from jsonb_to_recordset(differences) as d ("paymentId" text, task jsonb)
   where d.task ->> 'id' is not null
  on conflict (id) do nothing;

  -- Orphans are decided like the unknown orders of callbacks.
  insert into rail_callbacks (rail, dedupe_key, status, subject_kind, subject_id, reference, amount,
                              currency, body, judge_at)
  select rail_, 'reconciliation ' || o."orderId", 'unknown_order', 'order', o."orderId", o.reference,
         o.amount::bigint, o.currency, ''::bytea, now()
    from jsonb_to_recordset(orphans) as o ("orderId" text, reference text, amount text, currency text)
  on conflict (rail, dedupe_key) do nothing;
  update rail_watches w
     set look_at = now(), reference = coalesce(w.reference, l.reference),
         watch_until = greatest(w.watch_until, now() + interval '1 hour')
    from jsonb_to_recordset(look_ups) as l ("orderId" text, reference text)
   where w.id = l."orderId" and w.rail = rail_;
  return true;
end
$$;
