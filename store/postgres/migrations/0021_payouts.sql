-- Payouts: money of merchants that is sent to bank accounts. The columns of a payout are its state
-- (actors/core/payout/state.ts), those below the line belong to whoever works on it.
create table payouts (
  id                 text collate "C" primary key,
  merchant_id        text collate "C" not null,
  environment        text collate "C" not null check (environment in ('TEST', 'LIVE')),
  status             text collate "C" not null check (status in
    ('PENDING', 'PROCESSING', 'COMPLETED', 'FAILED', 'MANUAL_REQUIRED', 'REVERSED')),
  amount             bigint not null check (amount > 0),
  currency           text collate "C" not null,
  bank_code          text collate "C" not null,
  account_number     text collate "C" not null,
  account_holder     text not null,
  reference_id       text,
  description        text,
  fingerprint        text collate "C" not null,
  version            integer not null check (version > 0),
  -- stored before the rail is asked, never changed
  rail               text collate "C",
  rail_reference     text,
  external_reference text,
  failure_code       text collate "C",
  is_unresolved      boolean not null default false,
  is_contradicted    boolean not null default false,
  created_at         timestamptz not null,
  sent_at            timestamptz,
  completed_at       timestamptz,
  failed_at          timestamptz,
  reversed_at        timestamptz,

  -- when the rails process has something to do for it: send it, or look it up
  due_at             timestamptz,
  -- how many look-ups were begun; what an older one answers is dropped
  look_ups           integer not null default 0,
  -- the rail's last answer was none
  is_unknown         boolean not null default false,
  check (status <> 'PROCESSING' or rail is not null)
);
create index payouts_by_merchant on payouts (merchant_id, environment, created_at, id);
create index payouts_by_time on payouts (created_at, id);
create index payouts_due on payouts (due_at, id) where due_at is not null;
create index payouts_open on payouts (status)
  where status in ('PENDING', 'PROCESSING', 'MANUAL_REQUIRED');

-- Every transition of every payout.
create table payout_events (
  payout_id text collate "C" not null,
  version   integer not null,
  type      text collate "C" not null,
  at        timestamptz not null,
  event     text not null,
  primary key (payout_id, version)
);

-- What a posting is caused by: postings.payment_id names a payment, or a payout.
alter table operator_tasks add column payout_id text collate "C";
create index operator_tasks_by_payout on operator_tasks (payout_id) where payout_id is not null;

-- Only what an administrator does by hand: the rest is written by nobody in person.
create trigger payouts_audit after update on payouts for each row
  when (old.external_reference is distinct from new.external_reference)
  execute function audit_change('id', 'status', 'external_reference');

-- Postings of one cause with their balances, these in the order of their account, as commits of payments move them
-- (0002): so nobody waits for each other crosswise.
create function book_postings(p_cause text, p_postings jsonb) returns void language plpgsql as $$
begin
  insert into postings (payment_id, version, index, debit, credit, amount, currency, reason, at)
  select p_cause, g.version, g.index, g.debit, g.credit, g.amount, g.currency, g.reason, g.at
    from jsonb_to_recordset(p_postings) as g (version integer, index smallint, debit text, credit text,
                                              amount bigint, currency text, reason text, at timestamptz);

  insert into balances as b (account, currency, amount)
  select m.account, min(m.currency), sum(m.amount)::bigint
    from jsonb_to_recordset(p_postings) as g (debit text, credit text, amount bigint, currency text),
         lateral (values (g.debit, g.currency, -g.amount), (g.credit, g.currency, g.amount))
                 as m (account, currency, amount)
   group by m.account
   order by m.account
  on conflict (account) do update set amount = b.amount + excluded.amount;
end
$$;

create function note_payout_events(p_payout text, p_events jsonb) returns void language sql as $$
  insert into payout_events (payout_id, version, type, at, event)
  select p_payout, e.version, e.type, e.at, e.event
    from jsonb_to_recordset(p_events) as e (version integer, type text, at timestamptz, event text);
$$;

-- A new payout with its money, in one statement: the key is claimed, the merchant's available balance locked, and
-- what is asked for taken from it when it is there. So payouts never overdraw, however many arrive at once.
-- 'created'; 'replayed': it is there already; 'idempotency_conflict': the key has another body;
-- 'balance_insufficient': the key is used, nothing is taken. The first posting debits the available balance.
--
-- Locks: the claim, then balances in the order of accounts (available before clearing). Commits of payments hold
-- no claim, and nothing that a payout waits for while they wait for a balance.
create function reserve_payout(p_row jsonb, p_key text, p_events jsonb, p_postings jsonb)
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

  select amount into available from balances where account = p_postings -> 0 ->> 'debit' for update;
  if coalesce(available, 0) < r.amount then return 'balance_insufficient'; end if;

  r.due_at := now();
  r.look_ups := 0;
  r.is_unknown := false;
  insert into payouts select r.*;
  perform note_payout_events(r.id, p_events);
  perform book_postings(r.id, p_postings);
  return 'created';
end
$$;

-- A transition of a payout with its money, by compare-and-set on the version that it was decided on, and on the
-- number of the look-up that it follows from, if it does. false: another one came first, nothing was changed.
-- A look-up that was asked for meanwhile (it is due) stays due, unless this is what was looked up. The end of a
-- payout closes the tasks that wait for it.
create function move_payout(
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
         due_at = case when p_look_up is null and p_due_in_ms is not null and due_at <= clock_timestamp()
                       then due_at
                       else clock_timestamp() + p_due_in_ms * interval '1 millisecond' end
   where id = r.id and version = p_from and (p_look_up is null or look_ups = p_look_up);
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
       and kind in ('payout_manual_required', 'payout_unresolved');
  end if;
  return true;
end
$$;
