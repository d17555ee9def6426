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
-- Parameters follow from store/postgres/payments/commit-batch.ts, which builds the call with their names. The
-- arrays of one row set have equal length. Only calls to rails are dated by the server's clock.
create or replace function commit_batch(
  positions_partition smallint[], positions_epoch bigint[],
  positions_from_ms bigint[], positions_from_seq bigint[],
  positions_to_ms bigint[], positions_to_seq bigint[],
  created_id text[], created_merchant_id text[], created_environment text[], created_at_ms bigint[],
  created_status text[],
  created_amount_minor bigint[], created_currency text[], created_payment_method text[],
  created_reference_id text[], created_due_at_ms bigint[], created_version integer[],
  created_snapshot text[],
  changed_id text[], changed_status text[], changed_payment_method text[], changed_due_at_ms bigint[],
  changed_from_version integer[], changed_version integer[], changed_snapshot text[],
  events_partition smallint[], events_position_ms bigint[], events_position_seq bigint[],
  events_index integer[], events_payment_id text[], events_version integer[], events_type text[],
  events_event text[], events_merchant_id text[], events_environment text[], events_envelope text[]
) returns void language plpgsql as $$
declare
  touched bigint;
begin
  if cardinality(positions_partition) = 0 or exists (
    select from unnest(positions_from_ms, positions_from_seq, positions_to_ms, positions_to_seq)
           as b (from_ms, from_seq, to_ms, to_seq)
     where (b.to_ms, b.to_seq) <= (b.from_ms, b.from_seq)) then
    raise exception 'a batch must raise the positions of its partitions' using errcode = 'KS002';
  end if;

  update partitions p
     set position_ms = b.to_ms, position_seq = b.to_seq
    from unnest(positions_partition, positions_epoch, positions_from_ms, positions_from_seq,
                positions_to_ms, positions_to_seq)
         as b (partition, epoch, from_ms, from_seq, to_ms, to_seq)
   where p.id = b.partition and p.epoch = b.epoch
     and p.position_ms = b.from_ms and p.position_seq = b.from_seq;
  get diagnostics touched = row_count;
  if touched <> cardinality(positions_partition) then
    raise exception 'a position or an epoch has moved' using errcode = 'KS001';
  end if;

  if cardinality(created_id) > 0 then
    insert into payments (id, merchant_id, environment, status, amount, currency, payment_method,
                          reference_id, created_at, due_at, version, snapshot)
    select n.id, n.merchant_id, n.environment, n.status, n.amount_minor, n.currency, n.payment_method,
           n.reference_id, to_timestamp(n.at_ms / 1000.0::float8),
           to_timestamp(n.due_at_ms / 1000.0::float8), n.version, n.snapshot
      from unnest(created_id, created_merchant_id, created_environment, created_at_ms, created_status,
                  created_amount_minor, created_currency, created_payment_method,
                  created_reference_id, created_due_at_ms, created_version, created_snapshot)
           as n (id, merchant_id, environment, at_ms, status, amount_minor, currency, payment_method,
                 reference_id, due_at_ms, version, snapshot)
    on conflict (id) do nothing;
    get diagnostics touched = row_count;
    if touched <> cardinality(created_id) then
      raise exception 'a new payment exists' using errcode = 'KS003';
    end if;
  end if;

  if cardinality(changed_id) > 0 then
    update payments p
       set status = c.status, payment_method = c.payment_method, version = c.version,
           due_at = to_timestamp(c.due_at_ms / 1000.0::float8), snapshot = c.snapshot
      from unnest(changed_id, changed_status, changed_payment_method, changed_due_at_ms,
                  changed_from_version, changed_version, changed_snapshot)
           as c (id, status, payment_method, due_at_ms, from_version, version, snapshot)
     where p.id = c.id and p.version = c.from_version;
    get diagnostics touched = row_count;
    if touched <> cardinality(changed_id) then
      raise exception 'a snapshot was not folded from the stored version' using errcode = 'KS002';
    end if;
  end if;

  if cardinality(events_payment_id) > 0 then
    insert into payment_events (partition, position_ms, position_seq, index, payment_id, version,
                                type, at, event, merchant_id, environment, envelope)
    select e.partition, e.position_ms, e.position_seq, e.index, e.payment_id, e.version,
           e.type, to_timestamp(e.position_ms / 1000.0::float8), e.event, e.merchant_id, e.environment, e.envelope
      from unnest(events_partition, events_position_ms, events_position_seq, events_index,
                  events_payment_id, events_version, events_type, events_event,
                  events_merchant_id, events_environment, events_envelope)
           as e (partition, position_ms, position_seq, index, payment_id, version, type, event,
                 merchant_id, environment, envelope);
  end if;
end
$$;

-- Stores what some batches have besides: ledger, rail calls, tasks, quarantined and deferred commands. Balances move in
-- the order of their accounts, so that two processes cannot deadlock. A balance that another transaction holds for
-- longer than a commit takes is not waited for: 55P03, and the caller defers the commands that move it.
-- KS002 if a deferred command is resumed that is not stored: only the owner of its partition may.
create or replace function commit_consequences(
  batch_at timestamptz,
  postings_partition smallint[], postings_payment_id text[], postings_version integer[], postings_index smallint[],
  postings_debit text[], postings_credit text[], postings_amount_minor bigint[],
  postings_currency text[], postings_reason text[],
  refunds_id text[], refunds_payment_id text[], refunds_merchant_id text[],
  refunds_environment text[], refunds_status text[], refunds_created_at_ms bigint[],
  rail_transactions_rail text[], rail_transactions_transaction_id text[],
  rail_transactions_payment_id text[],
  rail_calls_id text[], rail_calls_payment_id text[], rail_calls_rail text[],
  rail_calls_operation text[], rail_calls_request text[], rail_calls_waited_ms integer[],
  tasks_id text[], tasks_kind text[], tasks_payment_id text[], tasks_details text[],
  quarantined_partition smallint[], quarantined_position_ms bigint[],
  quarantined_position_seq bigint[], quarantined_index integer[], quarantined_command text[],
  quarantined_error text[],
  deferred_partition smallint[], deferred_position_ms bigint[], deferred_position_seq bigint[],
  deferred_index integer[], deferred_payment_id text[], deferred_source text[],
  deferred_sender text[], deferred_correlation text[], deferred_command text[],
  resumed_partition smallint[], resumed_position_ms bigint[], resumed_position_seq bigint[],
  resumed_index integer[]
) returns void language plpgsql set lock_timeout = '1s' as $$
declare
  touched bigint;
  shard_  smallint;
begin
  insert into postings (cause_kind, cause_id, version, index, debit, credit, amount, currency, reason, at)
  select 'payment', g.payment_id, g.version, g.index, g.debit, g.credit, g.amount_minor, g.currency,
         g.reason, batch_at
    from unnest(postings_payment_id, postings_version, postings_index, postings_debit,
                postings_credit, postings_amount_minor, postings_currency, postings_reason)
         as g (payment_id, version, index, debit, credit, amount_minor, currency, reason);

  -- The partitions of a batch belong to one process, so no other commit moves the rows of the first of them.
  shard_ := (select min(p) from unnest(postings_partition) as p);
  insert into balance_rows as b (account, shard, currency, amount)
  select m.account, find_shard(m.account, shard_), min(m.currency), sum(m.amount)::bigint
    from (select d.account, d.currency, -d.amount as amount
            from unnest(postings_debit, postings_currency, postings_amount_minor)
                 as d (account, currency, amount)
          union all
          select c.account, c.currency, c.amount
            from unnest(postings_credit, postings_currency, postings_amount_minor)
                 as c (account, currency, amount)) as m
   group by m.account
   order by m.account
  on conflict (account, shard) do update set amount = b.amount + excluded.amount;

  insert into refunds (id, payment_id, merchant_id, environment, status, created_at)
  select r.id, r.payment_id, r.merchant_id, r.environment, r.status,
         to_timestamp(r.created_at_ms / 1000.0::float8)
    from unnest(refunds_id, refunds_payment_id, refunds_merchant_id, refunds_environment, refunds_status,
                refunds_created_at_ms)
         as r (id, payment_id, merchant_id, environment, status, created_at_ms)
  on conflict (id) do update set status = excluded.status;

  insert into rail_transactions (rail, transaction_id, payment_id)
  select t.rail, t.transaction_id, t.payment_id
    from unnest(rail_transactions_rail, rail_transactions_transaction_id, rail_transactions_payment_id)
         as t (rail, transaction_id, payment_id);

  insert into rail_calls (id, payment_id, merchant_id, rail, operation, request, due_at, commanded_at)
  select c.id, c.payment_id, p.merchant_id, c.rail, c.operation, c.request, now(),
         now() - c.waited_ms * interval '1 millisecond'
    from unnest(rail_calls_id, rail_calls_payment_id, rail_calls_rail, rail_calls_operation,
                rail_calls_request, rail_calls_waited_ms)
         as c (id, payment_id, rail, operation, request, waited_ms)
    join payments p on p.id = c.payment_id
  on conflict (id) do nothing;

  insert into operator_tasks (id, kind, payment_id, details, opened_at)
  select o.id, o.kind, o.payment_id, o.details, batch_at
    from unnest(tasks_id, tasks_kind, tasks_payment_id, tasks_details)
         as o (id, kind, payment_id, details)
  on conflict (id) do nothing;

  insert into parked_commands (partition, position_ms, position_seq, index, command, error)
  select k.partition, k.position_ms, k.position_seq, k.index, k.command, k.error
    from unnest(quarantined_partition, quarantined_position_ms, quarantined_position_seq,
                quarantined_index, quarantined_command, quarantined_error)
         as k (partition, position_ms, position_seq, index, command, error);

  insert into deferred_commands (partition, position_ms, position_seq, index, payment_id, source, sender,
                                 correlation, command, deferred_at)
  select d.partition, d.position_ms, d.position_seq, d.index, d.payment_id, d.source, d.sender,
         d.correlation, d.command, batch_at
    from unnest(deferred_partition, deferred_position_ms, deferred_position_seq, deferred_index,
                deferred_payment_id, deferred_source, deferred_sender, deferred_correlation,
                deferred_command)
         as d (partition, position_ms, position_seq, index, payment_id, source, sender, correlation,
               command);

  if cardinality(resumed_partition) > 0 then
    delete from deferred_commands d
     using unnest(resumed_partition, resumed_position_ms, resumed_position_seq, resumed_index)
           as r (partition, position_ms, position_seq, index)
     where d.partition = r.partition and d.position_ms = r.position_ms
       and d.position_seq = r.position_seq and d.index = r.index;
    get diagnostics touched = row_count;
    if touched <> cardinality(resumed_partition) then
      raise exception 'a resumed command is not stored' using errcode = 'KS002';
    end if;
  end if;
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
