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

  insert into rail_differences (rail, day, order_id, kind, field, subject, payment_id, ours, theirs)
  select rail_, day_, d."orderId", d.kind, d.field, d.subject, d."paymentId", d.ours, d.theirs
    from jsonb_to_recordset(differences)
      as d ("orderId" text, kind text, field text, subject text, "paymentId" text, ours text,
            theirs text)
  on conflict do nothing;
  insert into operator_tasks (id, kind, payment_id, payout_id, details, opened_at)
  select d.task ->> 'id', 'rail_difference', d."paymentId", d."payoutId", d.task ->> 'details',
         date_trunc('milliseconds', now())
    from jsonb_to_recordset(differences) as d ("paymentId" text, "payoutId" text, task jsonb)
   where d.task ->> 'id' is not null
  on conflict (id) do nothing;

  -- Orphans are decided like the unknown orders of callbacks.
  insert into rail_callbacks (rail, dedupe_key, status, subject_kind, subject_id, reference, amount,
                              currency, body, judge_at)
  select rail_, 'reconciliation ' || o."orderId", 'unknown_order', 'order', o."orderId", o.reference,
         o.amount::bigint, o.currency, ''::bytea, now()
    from jsonb_to_recordset(orphans) as o ("orderId" text, reference text, amount text, currency text)
  on conflict (rail, dedupe_key) do nothing;
  perform expedite_inquiries(rail_, look_ups);
  return true;
end
$$;

-- Makes status inquiries due now, like a callback about their subjects: they are repeated by the fast schedule until
-- one finds what the rail's list or answer reported, and the result of an inquiry under way is kept from hiding that.
-- The status inquiry of a refund has the id of its call, which begins with the id of its payment.
create or replace function expedite_inquiries(rail_ text, inquiries jsonb) returns void
language plpgsql as $$
begin
  update status_inquiries i
     set due_at = now(), reference = coalesce(i.reference, f.reference),
         inquire_until = greatest(i.inquire_until, now() + interval '1 hour'),
         callbacks = i.callbacks + 1, fast_step = 0,
         unconfirmed = array(select distinct s from unnest(i.unconfirmed || f.reports) as s
                              where s is not null order by s)
    from (select n.id, min(n.reference) as reference, array_agg(n.report) as reports
            from (select case l.kind when 'order' then l.id else c.id end as id, l.reference, l.report
                    from jsonb_to_recordset(inquiries)
                      as l (kind text, id text, reference text, report text)
                    left join refunds r on l.kind = 'refund' and r.id = l.id
                    left join rail_calls c
                      on c.id between 'call_' || substr(r.payment_id, 5)
                                  and 'call_' || substr(r.payment_id, 5) || 'zzzzzz'
                         and c.state <> 'due' and c.operation = 'refund'
                         and c.request::json ->> 'refundId' = r.id
                   where l.kind in ('order', 'refund')) n
           where n.id is not null
           group by n.id) f
   where i.id = f.id and i.rail = rail_;
  update payouts p
     set look_ups = p.look_ups + 1, due_at = now(), called_back_at = now()
    from jsonb_to_recordset(inquiries) as l (kind text, id text)
   where l.kind = 'payout' and p.id = l.id and p.rail = rail_ and p.status <> 'PENDING';
end
$$;
