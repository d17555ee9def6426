-- Payouts: each function is one transition of the state machine, stored with its money.

-- Stores events with their envelopes, and the deliveries of these to the endpoints that name their types. So a delivery
-- exists if and only if the transition does, and a repeat of the transition makes no second one. The webhooks processes
-- are notified when the statement has committed; they also find due deliveries by themselves.
create or replace function note_payout_events(r payouts, p_events jsonb) returns void language plpgsql as $$
declare
  notified bigint;
begin
  insert into payout_events (payout_id, version, type, at, event, merchant_id, environment, envelope)
  select r.id, e.version, e.type, e.at, e.event, case when e.envelope is not null then r.merchant_id end,
         case when e.envelope is not null then r.environment end, e.envelope
    from jsonb_to_recordset(p_events) as e (version integer, type text, at timestamptz, event text, envelope text);

  with made as (
    insert into webhook_deliveries (id, event_id, endpoint_id, payout_id, version, type, body)
    select 'del_' || left(encode(sha256(convert_to(e.event_id || ' ' || w.id, 'UTF8')), 'hex'), 32),
           e.event_id, w.id, r.id, e.version, e.webhook, e.envelope
      from jsonb_to_recordset(p_events) as e (version integer, event_id text, webhook text, envelope text)
      join webhook_endpoints w on w.merchant_id = r.merchant_id and w.environment = r.environment
     where w.active and e.webhook = any(w.events)
    on conflict do nothing
    returning id, endpoint_id)
  select count(pg_notify('kasir_due', endpoint_id || ' ' || id)) into notified from made;
end
$$;

-- Creates a payout in one statement: claims the idempotency key, locks the merchant's available balance, and
-- takes the amount if it is there. So concurrent payouts cannot overdraw. Returns 'created'; 'replayed' if the
-- payout exists; 'idempotency_conflict' if the key has another body; 'balance_insufficient', where the key is
-- used and no money moves. The first posting debits the available balance.
--
-- Locks: the claim, then balances in the order of accounts (available before clearing). Commits of payments
-- hold no claim, and nothing that a payout waits for while they wait for a balance.
create or replace function reserve_payout(p_row jsonb, p_key text, p_events jsonb, p_postings jsonb)
returns text language plpgsql as $$
declare
  r         payouts := jsonb_populate_record(null::payouts, p_row);
  claimed   text;
  available bigint;
begin
  if p_key is not null then
    insert into idempotency_claims as c (merchant_id, environment, kind, key, fingerprint, object_id)
    values (r.merchant_id, r.environment, 'payout', p_key, r.fingerprint, r.id)
    on conflict (merchant_id, environment, kind, key) do update set uses = c.uses
    returning c.fingerprint into claimed;
    if claimed <> r.fingerprint then return 'idempotency_conflict'; end if;
  end if;
  perform from payouts where id = r.id;
  if found then return 'replayed'; end if;

  select amount into available from balance_rows where account = p_postings -> 0 ->> 'debit' for update;
  if coalesce(available, 0) < r.amount then return 'balance_insufficient'; end if;

  r.due_at := now();
  r.look_ups := 0;
  r.is_unknown := false;
  insert into payouts select r.*;
  perform note_payout_events(r, p_events);
  perform book_payout_postings(r.id, p_postings);
  return 'created';
end
$$;

-- Stores a transition with its money, by compare-and-set on the version that it was decided on and, if it
-- follows from a status inquiry, on the number of that inquiry. Returns false if another transition came first:
-- nothing is changed. A failed payout whose contradiction is closed stays failed: resolve_task, which closes
-- it, locks the payout first, so that one of the two sees the other. A pending payout of a merchant that takes no
-- payments does not move towards a rail or a person: the suspension may be younger than the selection of the payout.
--
-- A status inquiry that was requested meanwhile (it is due) stays due, unless this transition is its result.
-- The end of a payout resolves the tasks that wait for it, its sending the task that it was not sent; a correction
-- resolves its contradiction.
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
         is_unresolved = r.is_unresolved, contradiction = r.contradiction,
         sent_at = r.sent_at, completed_at = r.completed_at, failed_at = r.failed_at,
         reversed_at = r.reversed_at, is_unknown = r.is_unresolved,
         reversal_reference = coalesce(r.reversal_reference, reversal_reference),
         corrected_at = coalesce(r.corrected_at, corrected_at),
         contradiction_closed_at = case when contradiction is distinct from r.contradiction then null
                                        else coalesce(contradiction_closed_at, r.contradiction_closed_at) end,
         due_at = case when p_look_up is null and p_due_in_ms is not null and due_at <= clock_timestamp()
                       then due_at
                       else clock_timestamp() + p_due_in_ms * interval '1 millisecond' end
   where id = r.id and version = p_from and (p_look_up is null or look_ups = p_look_up)
     and not (status = 'FAILED' and r.status <> 'FAILED' and contradiction_closed_at is not null)
     and not (status = 'PENDING' and r.status in ('PROCESSING', 'MANUAL_REQUIRED')
              and not takes_payments(merchant_id, environment));
  if not found then return false; end if;

  perform note_payout_events(r, p_events);
  perform book_payout_postings(r.id, p_postings);
  -- A payout that somebody cancelled is no news.
  if r.status in ('FAILED', 'REVERSED') and r.failure_code is distinct from 'cancelled' then
    perform write_notice('payout_failed', r.merchant_id, r.id || ' ' || r.status,
                         json_build_object('payout', r.id, 'status', r.status, 'reason', r.failure_code));
  end if;
  insert into operator_tasks (id, kind, payout_id, details, opened_at)
  select o.id, o.kind, r.id, o.details, date_trunc('milliseconds', now())
    from jsonb_to_recordset(p_tasks) as o (id text, kind text, details text)
  on conflict (id) do nothing;
  if r.status <> 'PENDING' then
    update operator_tasks
       set status = 'resolved', action = 'acknowledge', note = 'The payout is ' || r.status || '.',
           resolved_at = date_trunc('milliseconds', now()),
           resolved_by = nullif(current_setting('kasir.actor', true), '')
     where payout_id = r.id and status = 'open'
       and (kind = 'payout_not_sent'
            or kind in ('payout_manual_required', 'payout_unresolved')
               and r.status in ('COMPLETED', 'FAILED', 'REVERSED')
            or kind = 'payout_contradicted' and r.contradiction_closed_at is not null
               and (r.status = 'REVERSED' or r.corrected_at is not null));
  end if;
  return true;
end
$$;
