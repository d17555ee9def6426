-- The commit of a batch of commands.

-- Stores what a batch of commands caused: all of it, or nothing.
--
-- 1. The positions of the partitions move, by compare-and-set on (epoch, position). KS001 if a row does not
--    match: the caller no longer owns the partition, or the batch was committed before.
-- 2. New payments are inserted. KS003 if one exists: a create is folded without reading whether its payment
--    exists, and the caller folds again with the stored payment.
-- 3. Changed payments are updated on the version that they were folded from. KS002 if a version does not match:
--    two processes write one payment, which epochs exclude. It is a bug, and the caller exits.
-- 4. Events are inserted.
--
-- The arrays of one record type have equal length. Nothing here reads a clock.
create or replace function commit_batch(
  p_at timestamptz,
  -- positions
  p_partition smallint[], p_epoch bigint[], p_from_ms bigint[], p_from_seq bigint[],
  p_to_ms bigint[], p_to_seq bigint[],
  -- new payments
  n_id text[], n_merchant text[], n_environment text[], n_status text[], n_amount bigint[],
  n_currency text[], n_method text[], n_reference text[], n_due_ms bigint[], n_version integer[],
  n_snapshot text[],
  -- changed payments
  u_id text[], u_status text[], u_method text[], u_due_ms bigint[], u_from_version integer[],
  u_version integer[], u_snapshot text[],
  -- events
  e_partition smallint[], e_ms bigint[], e_seq bigint[], e_index integer[], e_payment text[],
  e_version integer[], e_type text[], e_event text[], e_merchant text[], e_environment text[],
  e_envelope text[]
) returns void language plpgsql as $$
declare
  touched bigint;
begin
  if cardinality(p_partition) = 0 or exists (
    select from unnest(p_from_ms, p_from_seq, p_to_ms, p_to_seq) as b (from_ms, from_seq, to_ms, to_seq)
     where (b.to_ms, b.to_seq) <= (b.from_ms, b.from_seq)) then
    raise exception 'a batch must raise the positions of its partitions' using errcode = 'KS002';
  end if;

  update partitions p
     set position_ms = b.to_ms, position_seq = b.to_seq
    from unnest(p_partition, p_epoch, p_from_ms, p_from_seq, p_to_ms, p_to_seq)
         as b (id, epoch, from_ms, from_seq, to_ms, to_seq)
   where p.id = b.id and p.epoch = b.epoch
     and p.position_ms = b.from_ms and p.position_seq = b.from_seq;
  get diagnostics touched = row_count;
  if touched <> cardinality(p_partition) then
    raise exception 'a position or an epoch has moved' using errcode = 'KS001';
  end if;

  if cardinality(n_id) > 0 then
    insert into payments (id, merchant_id, environment, status, amount, currency, payment_method,
                          reference_id, created_at, due_at, version, snapshot)
    select n.id, n.merchant, n.environment, n.status, n.amount, n.currency, n.method,
           n.reference, p_at, to_timestamp(n.due_ms / 1000.0::float8), n.version, n.snapshot
      from unnest(n_id, n_merchant, n_environment, n_status, n_amount, n_currency, n_method,
                  n_reference, n_due_ms, n_version, n_snapshot)
           as n (id, merchant, environment, status, amount, currency, method,
                 reference, due_ms, version, snapshot)
    on conflict (id) do nothing;
    get diagnostics touched = row_count;
    if touched <> cardinality(n_id) then
      raise exception 'a payment that is new is stored already' using errcode = 'KS003';
    end if;
  end if;

  if cardinality(u_id) > 0 then
    update payments p
       set status = u.status, payment_method = u.method, version = u.version,
           due_at = to_timestamp(u.due_ms / 1000.0::float8), snapshot = u.snapshot
      from unnest(u_id, u_status, u_method, u_due_ms, u_from_version, u_version, u_snapshot)
           as u (id, status, method, due_ms, from_version, version, snapshot)
     where p.id = u.id and p.version = u.from_version;
    get diagnostics touched = row_count;
    if touched <> cardinality(u_id) then
      raise exception 'a snapshot was not folded from the stored version' using errcode = 'KS002';
    end if;
  end if;

  if cardinality(e_payment) > 0 then
    insert into payment_events (partition, position_ms, position_seq, index, payment_id, version,
                                type, at, event, merchant_id, environment, envelope)
    select e.partition, e.ms, e.seq, e.index, e.payment, e.version, e.type, p_at, e.event,
           e.merchant, e.environment, e.envelope
      from unnest(e_partition, e_ms, e_seq, e_index, e_payment, e_version, e_type, e_event,
                  e_merchant, e_environment, e_envelope)
           as e (partition, ms, seq, index, payment, version, type, event,
                 merchant, environment, envelope);
  end if;
end
$$;

-- Stores what some batches have besides: ledger, rail calls, tasks, quarantined commands. Balances move in the
-- order of their accounts, so that two processes cannot deadlock.
create or replace function commit_consequences(
  p_at timestamptz,
  -- postings
  g_payment text[], g_version integer[], g_index smallint[], g_debit text[], g_credit text[],
  g_amount bigint[], g_currency text[], g_reason text[],
  -- refunds, new and changed
  r_id text[], r_payment text[], r_merchant text[], r_environment text[], r_status text[],
  -- rail transactions
  t_rail text[], t_transaction text[], t_payment text[],
  -- rail calls
  c_id text[], c_payment text[], c_rail text[], c_operation text[], c_request text[], c_due timestamptz[],
  -- operator tasks
  o_id text[], o_kind text[], o_payment text[], o_details text[],
  -- quarantined commands
  k_partition smallint[], k_ms bigint[], k_seq bigint[], k_index integer[], k_command text[], k_error text[]
) returns void language plpgsql as $$
begin
  insert into postings (cause_kind, cause_id, version, index, debit, credit, amount, currency, reason, at)
  select 'payment', g.payment, g.version, g.index, g.debit, g.credit, g.amount, g.currency, g.reason, p_at
    from unnest(g_payment, g_version, g_index, g_debit, g_credit, g_amount, g_currency, g_reason)
         as g (payment, version, index, debit, credit, amount, currency, reason);

  insert into balances as b (account, currency, amount)
  select m.account, min(m.currency), sum(m.amount)::bigint
    from (select d.account, d.currency, -d.amount as amount
            from unnest(g_debit, g_currency, g_amount) as d (account, currency, amount)
          union all
          select c.account, c.currency, c.amount
            from unnest(g_credit, g_currency, g_amount) as c (account, currency, amount)) as m
   group by m.account
   order by m.account
  on conflict (account) do update set amount = b.amount + excluded.amount;

  insert into refunds (id, payment_id, merchant_id, environment, status, created_at)
  select r.id, r.payment, r.merchant, r.environment, r.status, p_at
    from unnest(r_id, r_payment, r_merchant, r_environment, r_status)
         as r (id, payment, merchant, environment, status)
  on conflict (id) do update set status = excluded.status;

  insert into rail_transactions (rail, transaction_id, payment_id)
  select * from unnest(t_rail, t_transaction, t_payment);

  insert into rail_calls (id, payment_id, rail, operation, request, due_at)
  select * from unnest(c_id, c_payment, c_rail, c_operation, c_request, c_due)
  on conflict (id) do nothing;

  insert into operator_tasks (id, kind, payment_id, details, opened_at)
  select o.id, o.kind, o.payment, o.details, p_at
    from unnest(o_id, o_kind, o_payment, o_details) as o (id, kind, payment, details)
  on conflict (id) do nothing;

  insert into parked_commands (partition, position_ms, position_seq, index, command, error)
  select * from unnest(k_partition, k_ms, k_seq, k_index, k_command, k_error);
end
$$;

-- Arrays arrive as text joined by U+001F; an empty element is null.
create or replace function split(joined text) returns text[] language sql immutable parallel safe
return string_to_array(joined, E'\x1f', '');

-- Ends a probe of a commit: it rolls back what the statement did before.
create or replace function undo_probe() returns void language plpgsql as $$
begin
  raise exception 'probe' using errcode = 'KS000';
end
$$;
