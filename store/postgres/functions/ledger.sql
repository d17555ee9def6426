-- Postings with the balances that they move. Balances always move in the order of their accounts, as in
-- commit_consequences, so that transactions cannot deadlock.

-- The row of an account that a writer moves (schema/0005_ledger.sql): the given one of an account of the platform at a rail.
create or replace function find_shard(account_ text, shard_ integer) returns smallint
language sql immutable parallel safe
return case when account_ like 'rail\_clearing:%' or account_ like 'fees:%' then shard_ else 0 end::smallint;

-- For writers without a partition, by the cause of their postings: from -16 to -1.
create or replace function find_shard_of_cause(account_ text, cause_ text) returns smallint
language sql immutable parallel safe
return find_shard(account_, -1 - (hashtext(cause_) & 15));

-- One posting.
create or replace function post(
  cause_kind_ text, cause_id_ text, version_ integer, debit_ text, credit_ text, amount_ bigint,
  currency_ text, reason_ text
) returns void language plpgsql as $$
begin
  insert into postings (cause_kind, cause_id, version, index, debit, credit, amount, currency, reason, at)
  values (cause_kind_, cause_id_, version_, 0, debit_, credit_, amount_, currency_, reason_,
          date_trunc('milliseconds', now()));
  insert into balance_rows as b (account, shard, currency, amount)
  select m.account, find_shard_of_cause(m.account, cause_id_), currency_, m.amount
    from (values (debit_, -amount_), (credit_, amount_)) as m (account, amount)
   order by m.account
  on conflict (account, shard) do update set amount = b.amount + excluded.amount;
end
$$;

-- The postings of a payout's transitions.
create or replace function book_payout_postings(p_payout text, p_postings jsonb) returns void
language plpgsql as $$
begin
  insert into postings (cause_kind, cause_id, version, index, debit, credit, amount, currency, reason, at)
  select 'payout', p_payout, g.version, g.index, g.debit, g.credit, g.amount, g.currency, g.reason, g.at
    from jsonb_to_recordset(p_postings) as g (version integer, index smallint, debit text, credit text,
                                              amount bigint, currency text, reason text, at timestamptz);

  insert into balance_rows as b (account, shard, currency, amount)
  select m.account, find_shard_of_cause(m.account, p_payout), min(m.currency), sum(m.amount)::bigint
    from jsonb_to_recordset(p_postings) as g (debit text, credit text, amount bigint, currency text),
         lateral (values (g.debit, g.currency, -g.amount), (g.credit, g.currency, g.amount))
                 as m (account, currency, amount)
   group by m.account
   order by m.account
  on conflict (account, shard) do update set amount = b.amount + excluded.amount;
end
$$;

-- Books once, with its posting. Returns 'booked'; 'known' if it was booked before under the same reference;
-- 'differs' if it was booked before with another amount, and nothing is done.
create or replace function book_at_rail(p_row jsonb, debit_ text, credit_ text, reason_ text)
returns text language plpgsql as $$
declare
  r rail_bookings := jsonb_populate_record(null::rail_bookings, p_row);
begin
  insert into rail_bookings (id, kind, rail, amount, currency, reference, note)
  values (r.id, r.kind, r.rail, r.amount, r.currency, r.reference, r.note)
  on conflict do nothing;
  if found then
    perform post('booking', r.id, 1, debit_, credit_, r.amount, r.currency, reason_);
    return 'booked';
  end if;
  perform from rail_bookings b where b.id = r.id and b.amount = r.amount and b.currency = r.currency;
  return case when found then 'known' else 'differs' end;
end
$$;

-- The corrections that postings of an earlier version need, which named the rail for money that an administrator paid from the
-- platform's own bank account: manual refunds, `return` of suspense and its `match`. Each gets one more posting, which
-- moves its amount between the rail's account and rail_clearing:manual. Those that were made are left out.
create or replace function find_manual_corrections() returns setof postings language sql stable as $$
  with by_hand as materialized (
    select g.*
      from postings g
      join payment_events e on e.payment_id = g.cause_id and e.version = g.version
      join payments p on p.id = g.cause_id
     where g.cause_kind = 'payment' and g.reason = 'refund_succeeded'
       and e.event::jsonb ->> 'externalReference' is not null
       and exists (
         select from jsonb_array_elements(p.snapshot::jsonb -> 'internal' -> 'refunds') r
          where r ->> 'id' = e.event::jsonb ->> 'refundId' and r -> 'isPaidByRail' is null)
    union all
    select g.* from postings g
     where g.cause_kind = 'task' and g.reason in ('suspense_returned', 'return_matched')),
  wrong as (
    select b.*, case b.reason when 'return_matched' then b.debit else b.credit end as named,
           'rail_clearing:manual:' || split_part(b.credit, ':', -2) || ':' || b.currency as bank
      from by_hand b)
  select cause_kind, cause_id, version, (index + 1000)::smallint,
         case reason when 'return_matched' then bank else named end,
         case reason when 'return_matched' then named else bank end,
         amount, currency, 'moved_to_manual', date_trunc('milliseconds', now())
    from wrong w
   where named <> bank
     and not exists (select from postings c
                      where c.cause_id = w.cause_id and c.version = w.version and c.index = w.index + 1000)
$$;

-- Makes them. Returns their number; a repeated call makes none. The audit log has one row of all of them.
create or replace function correct_manual_postings() returns integer language plpgsql as $$
declare
  corrections integer;
begin
  with moved as (
    insert into postings select * from find_manual_corrections()
    on conflict do nothing
    returning debit, credit, amount, currency),
  balanced as (
    insert into balance_rows as b (account, shard, currency, amount)
    select m.account, find_shard_of_cause(m.account, 'correct_manual_postings'), min(m.currency),
           sum(m.amount)::bigint
      from moved g, lateral (values (g.debit, g.currency, -g.amount), (g.credit, g.currency, g.amount))
                            as m (account, currency, amount)
     group by m.account
     order by m.account
    on conflict (account, shard) do update set amount = b.amount + excluded.amount)
  select count(*)::integer into corrections from moved;
  if corrections > 0 then
    insert into audit_log (actor, action, target, after)
    values (find_actor(), 'ledger.correct_manual', 'rail_clearing:manual',
            json_build_object('postings', corrections)::text);
  end if;
  return corrections;
end
$$;
