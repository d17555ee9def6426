-- Uses of payment links, and the follower that updates payment links and invoices from their payments.

-- Claims a use for a payment whose id is chosen already. Returns 'claimed' if the payment's command may be sent,
-- also if the use was claimed before and the payment has not been seen; 'made' if the payment exists; else the
-- reason for which the link cannot be used: 'missing', 'not_live', 'inactive', 'expired', 'used_up'.
create or replace function claim_payment_link_use(link_ text, payment text) returns text language plpgsql as $$
declare
  link payment_links;
  was text;
begin
  select * into link from payment_links where id = link_ for no key update;
  if not found then return 'missing'; end if;
  if exists (select from payments where id = payment) then return 'made'; end if;
  if not takes_payments(link.merchant_id, link.environment) then return 'not_live'; end if;
  if not link.active then return 'inactive'; end if;
  if link.expires_at <= clock_timestamp() then return 'expired'; end if;
  select state into was from payment_link_uses where payment_id = payment;
  if was is null or was = 'given_back' then
    if link.uses >= link.max_uses then return 'used_up'; end if;
    update payment_links set uses = uses + 1 where id = link_;
  end if;
  insert into payment_link_uses (payment_id, link_id) values (payment, link_)
  on conflict (payment_id) do update set state = 'claimed', claimed_at = clock_timestamp();
  return 'claimed';
end $$;

-- Sets the uses of these payments by the payments' present status. Links are locked in the order of their ids,
-- so that two calls cannot deadlock.
create or replace function settle_payment_link_uses(payments_ text[]) returns void language plpgsql as $$
begin
  perform from payment_links
    where id in (select link_id from payment_link_uses where payment_id = any(payments_))
    order by id for no key update;
  if not found then return; end if;
  with now_ as (
    select u.payment_id, u.state as was,
           case when p.status in ('paid', 'refunded') then 'paid'
                when p.status in ('failed', 'cancelled') then 'given_back'
                else 'made' end as is_now
      from payment_link_uses u join payments p on p.id = u.payment_id
     where u.payment_id = any(payments_)),
  changed as (
    update payment_link_uses u set state = n.is_now from now_ n
     where u.payment_id = n.payment_id and n.is_now <> n.was
    returning u.link_id, (n.is_now <> 'given_back')::integer - (n.was <> 'given_back')::integer as more)
  update payment_links l set uses = l.uses + c.more
    from (select link_id, sum(more) as more from changed group by link_id) c
   where l.id = c.link_id and c.more <> 0;
end $$;

-- Gives back a claim whose payment was never made. Returns false if the use was claimed again since.
create or replace function give_back_payment_link_claim(payment text, claimed_at_ text) returns boolean
language plpgsql as $$
declare
  link_ text;
begin
  select link_id into link_ from payment_link_uses where payment_id = payment;
  perform from payment_links where id = link_ for no key update;
  update payment_link_uses set state = 'given_back'
   where payment_id = payment and state = 'claimed' and claimed_at = claimed_at_::timestamptz
     and not exists (select from payments where id = payment);
  if not found then return false; end if;
  update payment_links set uses = uses - 1 where id = link_;
  return true;
end $$;

-- Reads at most `most` new events of each partition and updates the payment links and invoices of their payments.
-- Returns the number of events. An event only says that its payment changed: the update follows from the payment's
-- present status. The cursors move with the update, or not at all; a cursor that another process is moving is
-- skipped.
create or replace function follow_payments(most integer, of_partitions smallint[]) returns integer language plpgsql as $$
declare
  events integer;
  touched text[];
begin
  with cursors as materialized (
    -- A cursor without new events is not locked, since a lock is a write.
    select c.* from payment_follower_cursors c cross join lateral (
      select from payment_events e
       where e.partition = c.partition and e.envelope is not null
         and (e.position_ms, e.position_seq, e.index) > (c.position_ms, c.position_seq, c.index)
       order by e.position_ms, e.position_seq, e.index limit 1) first
     where c.partition = any(of_partitions)
       for update of c skip locked),
  batch as materialized (
    select e.* from cursors c cross join lateral (
      select e.partition, e.position_ms, e.position_seq, e.index, e.payment_id, e.merchant_id, e.envelope,
             e.version, e.type, e.event, e.environment, e.at
        from payment_events e
       where e.partition = c.partition and e.envelope is not null
         and (e.position_ms, e.position_seq, e.index) > (c.position_ms, c.position_seq, c.index)
       order by e.position_ms, e.position_seq, e.index
       limit most) e),
  moved as (
    update payment_follower_cursors f
       set position_ms = b.position_ms, position_seq = b.position_seq, index = b.index
      from (select distinct on (partition) partition, position_ms, position_seq, index from batch
             order by partition, position_ms desc, position_seq desc, index desc) b
     where f.partition = b.partition),
  -- The case keeps the envelopes of merchants that want no such mail unread.
  noticed as (
    insert into notices (kind, merchant_id, fact, details)
    select n.kind, b.merchant_id, b.payment_id, '{}'
      from batch b join merchants m on m.id = b.merchant_id
     cross join lateral (values ('payment_received', 'payment_received' = any(m.notices)),
                                ('receipt', m.sends_receipts)) as n (kind, is_wanted)
     where case when n.is_wanted then (read_envelope(b.envelope)).name = 'payment.paid' end
    on conflict do nothing),
  mattering as materialized (
    select b.*, case b.type when 'payment_paid' then 'paid_late' else 'charged_back' end as kind from batch b
     where case b.type
             when 'payment_paid' then strpos(b.event, '"isLate":true') > 0
             when 'refund_recorded' then b.event::json ->> 'origin' = 'chargeback'
           end),
  matters as (
    insert into payment_matters (payment_id, kind, merchant_id, environment, at)
    select payment_id, kind, merchant_id, environment, max(at) from mattering group by 1, 2, 3, 4
    on conflict (payment_id, kind) do update set at = excluded.at),
  mailed as (
    insert into notices (kind, merchant_id, fact, details)
    select 'charged_back', a.merchant_id, a.payment_id || ' ' || a.version,
           json_build_object('payment', a.payment_id, 'refund', a.event::json ->> 'refundId')::text
      from mattering a join merchants m on m.id = a.merchant_id
     where a.kind = 'charged_back' and 'charged_back' = any(m.notices)
    on conflict do nothing)
  select count(*)::integer, array_agg(distinct payment_id) into events, touched from batch;
  if touched is not null then
    perform settle_payment_link_uses(touched);
    perform settle_invoices(touched);
  end if;
  return events;
end $$;
