-- The commit of a batch of commands.

-- Stores what a batch of commands caused: all of it, or nothing.
--
-- 1. The positions of the partitions move, by compare-and-set on (epoch, position). KS001 if a row does not
--    match: the caller no longer owns the partition, or the batch was committed before.
-- 2. New payments are inserted. A duplicate key if one exists: a create is folded without reading whether its payment
--    exists, and the caller folds again with the stored payment.
-- 3. Changed payments are updated on the version that they were folded from. KS002 if a version does not match:
--    two processes write one payment, which epochs exclude. It is a bug, and the caller exits.
-- 4. Events are inserted.
--
-- Each row set is a text, which read_<set> reads (store/postgres/payments/commit-columns.ts). `layout` names its columns. Only
-- calls to rails are dated by the server's clock.
create or replace function commit_batch(
  layout text, positions text, created text, changed text, events text
) returns void language plpgsql as $$
declare
  moves   bigint;
  touched bigint;
begin
  if layout is distinct from commit_layout() then
    raise exception 'the rows of this commit have other columns: migrate the database to the version of this process'
      using errcode = '42P13';
  end if;
  update partitions p
     set position_ms = b.to_ms, position_seq = b.to_seq
    from read_positions(positions) b
   where p.id = b.partition and p.epoch = b.epoch
     and p.position_ms = b.from_ms and p.position_seq = b.from_seq
     and (b.to_ms, b.to_seq) > (b.from_ms, b.from_seq);
  get diagnostics touched = row_count;
  moves := cardinality(string_to_array(positions, E'\x1e'));
  if moves = 0 or touched <> moves then
    if moves = 0 or exists (
      select from read_positions(positions) b where (b.to_ms, b.to_seq) <= (b.from_ms, b.from_seq)) then
      raise exception 'a batch must raise the positions of its partitions' using errcode = 'KS002';
    end if;
    raise exception 'a position or an epoch has moved' using errcode = 'KS001';
  end if;

  if created <> '' then
    insert into payments (id, merchant_id, environment, status, amount, currency, payment_method,
                          reference_id, created_at, due_at, version, snapshot)
    select n.id, n.merchant_id, n.environment, n.status, n.amount_minor, n.currency, n.payment_method,
           n.reference_id, to_timestamp(n.at_ms / 1000.0::float8),
           to_timestamp(n.due_at_ms / 1000.0::float8), n.version, n.snapshot
      from read_created(created) n;
  end if;

  if changed <> '' then
    update payments p
       set status = c.status, payment_method = c.payment_method, version = c.version,
           due_at = to_timestamp(c.due_at_ms / 1000.0::float8), snapshot = c.snapshot
      from read_changed(changed) c
     where p.id = c.id and p.version = c.from_version;
    get diagnostics touched = row_count;
    if touched <> (select count(*) from read_changed(changed)) then
      raise exception 'a snapshot was not folded from the stored version' using errcode = 'KS002';
    end if;
  end if;

  if events <> '' then
    insert into payment_events (partition, position_ms, position_seq, index, payment_id, version,
                                type, at, event, merchant_id, environment, envelope)
    select e.partition, e.position_ms, e.position_seq, e.index, e.payment_id, e.version,
           e.type, to_timestamp(e.position_ms / 1000.0::float8), e.event, e.merchant_id, e.environment, e.envelope
      from read_events(events) e;
  end if;
end
$$;

-- Stores what some batches have besides: ledger, rail calls, tasks, quarantined and deferred commands. Balances move in
-- the order of their accounts, so that two processes cannot deadlock. A balance that another transaction holds for
-- longer than a commit takes is not waited for: 55P03, and the caller defers the commands that move it.
-- KS002 if a deferred command is resumed that is not stored: only the owner of its partition may.
create or replace function commit_consequences(
  batch_at timestamptz, postings text, refunds text, rail_transactions text, rail_calls text, tasks text,
  quarantined text, deferred text, resumed text
) returns void language plpgsql set lock_timeout = '1s' as $$
declare
  touched bigint;
  shard_  smallint;
begin
  insert into postings (cause_kind, cause_id, version, index, debit, credit, amount, currency, reason, at)
  select 'payment', g.payment_id, g.version, g.index, g.debit, g.credit, g.amount_minor, g.currency,
         g.reason, batch_at
    from read_postings(postings) g;

  -- The partitions of a batch belong to one process, so no other commit moves the rows of the first of them.
  shard_ := (select min(g.partition) from read_postings(postings) g);
  insert into balance_rows as b (account, shard, currency, amount)
  select m.account, find_shard(m.account, shard_), min(m.currency), sum(m.amount)::bigint
    from (select d.debit as account, d.currency, -d.amount_minor as amount from read_postings(postings) d
          union all
          select c.credit, c.currency, c.amount_minor from read_postings(postings) c) as m
   group by m.account
   order by m.account
  on conflict (account, shard) do update set amount = b.amount + excluded.amount;

  insert into refunds (id, payment_id, merchant_id, environment, status, created_at)
  select r.id, r.payment_id, r.merchant_id, r.environment, r.status,
         to_timestamp(r.created_at_ms / 1000.0::float8)
    from read_refunds(refunds) r
  on conflict (id) do update set status = excluded.status;

  insert into rail_transactions (rail, transaction_id, payment_id)
  select t.rail, t.transaction_id, t.payment_id
    from read_rail_transactions(rail_transactions) t;

  insert into rail_calls (id, payment_id, merchant_id, rail, operation, request, due_at, commanded_at)
  select c.id, c.payment_id, p.merchant_id, c.rail, c.operation, c.request, now(),
         now() - c.waited_ms * interval '1 millisecond'
    from read_rail_calls(rail_calls) c
    join payments p on p.id = c.payment_id
  on conflict (id) do nothing;

  insert into operator_tasks (id, kind, payment_id, details, opened_at)
  select o.id, o.kind, o.payment_id, o.details, batch_at
    from read_tasks(tasks) o
  on conflict (id) do nothing;

  insert into quarantined_commands (partition, position_ms, position_seq, index, command, error)
  select k.partition, k.position_ms, k.position_seq, k.index, k.command, k.error
    from read_quarantined(quarantined) k;

  insert into deferred_commands (partition, position_ms, position_seq, index, payment_id, source, sender,
                                 correlation, command, deferred_at)
  select d.partition, d.position_ms, d.position_seq, d.index, d.payment_id, d.source, d.sender,
         d.correlation, d.command, batch_at
    from read_deferred(deferred) d;

  if resumed <> '' then
    delete from deferred_commands d
     using read_resumed(resumed) r
     where d.partition = r.partition and d.position_ms = r.position_ms
       and d.position_seq = r.position_seq and d.index = r.index;
    get diagnostics touched = row_count;
    if touched <> (select count(*) from read_resumed(resumed)) then
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
