-- The follower that adds the events of payments to their merchants' totals.

-- Adds at most `most` new events of these partitions. `events`: how many the cursors passed; `has_more`: a partition had more
-- than its part of `most`. The cursors move with the totals, or not at all, so each event counts once; a cursor that another
-- process is moving is skipped. Totals are changed in the order of their keys, so that two processes cannot deadlock.
-- The first statement only reads: a look that finds nothing writes nothing, which the lock of a cursor would.
create or replace function follow_totals(most integer, of_partitions smallint[], out events integer, out has_more boolean)
language plpgsql as $$
declare
  behind smallint[] := array(
    select c.partition from payment_totals_cursors c cross join lateral (
      select from payment_events e
       where e.partition = c.partition and e.envelope is not null
         and (e.position_ms, e.position_seq, e.index) > (c.position_ms, c.position_seq, c.index)
       order by e.position_ms, e.position_seq, e.index limit 1) e
     where c.partition = any(of_partitions));
  part integer := greatest(most / greatest(cardinality(behind), 1), 1);
begin
  events := 0;
  has_more := false;
  if cardinality(behind) = 0 then return; end if;
  with cursors as materialized (
    select c.* from payment_totals_cursors c where c.partition = any(behind)
       for update skip locked),
  batch as materialized (
    select e.partition, e.position_ms, e.position_seq, e.index, e.merchant_id, e.environment, e.type, e.at,
           case when e.type like 'refund%' then find_refund_amount(e.envelope)
                when shows_amount(e.envelope) then split_part(e.envelope, '"', 26)::bigint
                else (select amount from payments where id = e.payment_id) end as amount,
           case when shows_amount(e.envelope) then split_part(e.envelope, '"', 30)
                else (select currency from payments where id = e.payment_id) end as currency
      from cursors c cross join lateral (
        select * from payment_events e
         where e.partition = c.partition and e.envelope is not null
           and (e.position_ms, e.position_seq, e.index) > (c.position_ms, c.position_seq, c.index)
         order by e.position_ms, e.position_seq, e.index
         limit part) e),
  moved as (
    update payment_totals_cursors f
       set position_ms = b.position_ms, position_seq = b.position_seq, index = b.index
      from (select distinct on (partition) partition, position_ms, position_seq, index from batch
             order by partition, position_ms desc, position_seq desc, index desc) b
     where f.partition = b.partition),
  added as (
    insert into payment_totals as t (merchant_id, environment, quarter, outcome, currency, events, amount)
    select b.merchant_id, b.environment, date_bin('15 minutes', b.at, '2000-01-01 00:00:00+00'), o.outcome,
           b.currency, count(*), sum(b.amount)
      from batch b
      join (values ('payment_paid', 'paid'), ('payment_failed', 'failed'), ('payment_cancelled', 'cancelled'),
                   ('payment_reversed', 'reversed'), ('refund_succeeded', 'refunded'),
                   ('refund_corrected', 'refunded'), ('refund_recorded', 'refunded'))
           as o (type, outcome) on o.type = b.type
     group by 1, 2, 3, 4, 5
     order by 1, 2, 3, 4, 5
    on conflict (merchant_id, environment, quarter, outcome, currency) do update
       set events = t.events + excluded.events, amount = t.amount + excluded.amount)
  select coalesce(sum(n), 0), coalesce(bool_or(n = part), false) into events, has_more
    from (select count(*) as n from batch group by partition) of_partition;
end $$;

-- Whether a text begins as envelopes do: {"id":"…","type":"…","created_at":"…","data":{"id":"…","status":"…","amount":"…",
-- "currency":"…". Its amount is then the text before the 26th quotation mark, its currency the one before the 30th: the texts of
-- merchants follow later. Reading the payments instead costs three times as much. An envelope is not parsed: Postgres refuses
-- to read any field of JSON that holds an escaped NUL.
create or replace function shows_amount(envelope text) returns boolean language sql immutable as $$
  select split_part(envelope, '"', 24) = 'amount' and split_part(envelope, '"', 28) = 'currency'
$$;

-- The amount of the refund that an envelope tells of, which is its last field.
create or replace function find_refund_amount(envelope text) returns bigint language sql immutable as $$
  select coalesce(substring(right(envelope, 48) from '"refund_amount":"([0-9]{1,18})"\}\}$')::bigint, 0)
$$;
