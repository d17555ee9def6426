-- The number of partitions, and how it is multiplied (docs/decisions/0082-partitions-are-split.md).

-- Trigger function: once the partitions were split, a process that takes their number from its configuration owns none. Its claim finds
-- nothing.
create or replace function refuse_unaware_owner() returns trigger language plpgsql as $$
begin
  if exists (select from payments_processes where name = new.owner and follows_splits) then return new; end if;
  return null;
end $$;

-- The partition of an id, as partitionFor of actors/core/partition.ts: FNV-1a over the characters, which are ASCII.
create or replace function find_partition(id text, count integer) returns integer
language plpgsql immutable parallel safe as $$
declare
  hash bigint := 2166136261;
begin
  for place in 1 .. length(id) loop
    hash := ((hash # ascii(substr(id, place, 1))) * 16777619) & 4294967295;
  end loop;
  return (hash # (hash >> 16)) % count;
end $$;

-- Multiplies the number of partitions, all at once or not at all. Partition p keeps a part of its payments, and p + from_count,
-- p + 2 * from_count and so on take over the others at its position. Every epoch rises, so that no owner commits with the number
-- of before, and the partitions are free, so that processes claim them with the new one. KS003: the installation has another number by
-- now, the new one is not allowed, or a payments process lives that takes the number from its configuration.
--
-- A commit locks the table before its rows. So the lock waits for the commits under way, and no commit waits for a row of
-- this transaction while it holds another one.
create or replace function split_partitions(from_count integer, to_count integer) returns void
language plpgsql set lock_timeout = '1s' as $$
begin
  lock table partitions in share row exclusive mode;
  perform from installation where partitions = from_count for update;
  if not found then
    raise exception 'the installation does not have % partitions any more', from_count using errcode = 'KS003';
  end if;
  if to_count <= from_count or to_count % from_count <> 0 then
    raise exception '% partitions are no multiple of %', to_count, from_count using errcode = 'KS003';
  end if;
  if exists (
    select from payments_processes where lease_until > now() - interval '1 minute' and not follows_splits) then
    raise exception 'a payments process of an earlier version lives' using errcode = 'KS003';
  end if;

  update partitions
     set counts = coalesce(counts, array[from_count]::smallint[]) || to_count::smallint, owner = null,
         epoch = greatest(epoch + 1, (extract(epoch from now()) * 1000)::bigint);
  insert into partitions (id, position_ms, position_seq, counts)
  select p.id + from_count * part, p.position_ms, p.position_seq, p.counts
    from partitions p cross join generate_series(1, to_count / from_count - 1) as part;

  -- A new partition has no events, so followers of events begin at its first one. Payments that are not searchable yet are those
  -- behind the cursor of the partition that they come from.
  insert into webhook_cursors (partition) select id from partitions on conflict do nothing;
  insert into payment_follower_cursors (partition) select id from partitions on conflict do nothing;
  insert into payment_totals_cursors (partition) select id from partitions on conflict do nothing;
  insert into payment_search_cursors (partition, position_ms, position_seq)
  select p.id, c.position_ms, c.position_seq
    from partitions p join payment_search_cursors c on c.partition = p.id % from_count
   where p.id >= from_count
  on conflict do nothing;

  -- They keep their positions, which are not behind that of the new partition, where it has no frames yet.
  update deferred_commands set partition = find_partition(payment_id, to_count)
   where partition <> find_partition(payment_id, to_count);

  update installation set partitions = to_count;
  perform pg_notify('kasir_partitions', '');
end $$;
