-- Payment links: a page where anybody pays the same thing, or an amount of their choice.
--
-- Every payment that a link makes has a row of its own here before its command is sent (a claim), so the uses
-- of a link are counted by rows and never by memory:
--   claimed ──▶ made, paid, given_back        given_back ──▶ claimed (the same form again), paid (late money)
-- claimed: nobody has seen the payment yet. made: it is there and open. What a use is otherwise follows from
-- the status that its payment has now, whenever somebody looks, so an event that comes twice or late does no
-- harm. All but given_back count in payment_links.uses. Who changes a use holds the lock of its link.

create table payment_links (
  id          text collate "C" primary key,
  -- the last segment of its address
  slug        text collate "C" not null unique,
  merchant_id text collate "C" not null references merchants,
  environment text collate "C" not null check (environment in ('TEST', 'LIVE')),
  title       text not null,
  description text,
  -- null: the customer chooses, within the bounds
  amount      bigint check (amount > 0),
  min_amount  bigint check (min_amount > 0),
  max_amount  bigint check (max_amount >= min_amount),
  currency    text collate "C" not null,
  -- null: no bound
  max_uses    integer check (max_uses > 0),
  uses        integer not null default 0 check (uses >= 0),
  active      boolean not null default true,
  expires_at  timestamptz,
  success_url text,
  -- whole milliseconds, as cursors of lists tell them
  created_at  timestamptz not null default date_trunc('milliseconds', now()),
  check ((amount is null) = (min_amount is not null) and (amount is null) = (max_amount is not null))
) with (fillfactor = 70);
create index payment_links_by_merchant on payment_links (merchant_id, created_at, id);

create table payment_link_uses (
  payment_id text collate "C" primary key,
  link_id    text collate "C" not null references payment_links,
  state      text collate "C" not null default 'claimed'
    check (state in ('claimed', 'made', 'paid', 'given_back')),
  claimed_at timestamptz not null default clock_timestamp(),
  -- when somebody last asked what became of the claim
  asked_at   timestamptz
);
create index payment_link_uses_claimed on payment_link_uses (claimed_at) where state = 'claimed';

-- Whether a merchant takes payments in an environment: the gate of LIVE. (Switches: admin, 0009.)
create function takes_payments(merchant text, environment_ text) returns boolean
language sql stable as $$
  select environment_ = 'TEST' or exists (
    select from merchants m
     where m.id = merchant and m.verification_status = 'APPROVED' and m.live_enabled
       and not exists (select from switches s where s.name = 'merchant:' || m.id and not s.is_on))
$$;

-- Claims a use for a payment whose id is chosen already. 'claimed': its command may be sent; also when it was
-- claimed before and nobody has seen the payment. 'made': the payment is there. Else why the link cannot be
-- used: 'missing', 'not_live', 'inactive', 'expired', 'used_up'.
create function claim_payment_link_use(link_ text, payment text) returns text language plpgsql as $$
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

-- Makes the uses of these payments what the payments are now. Links are locked in the order of their ids, so
-- that two of these never wait for each other crosswise.
create function settle_payment_link_uses(payments_ text[]) returns void language plpgsql as $$
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

-- Gives back a claim whose payment never came to be. Not if it was claimed again since.
create function give_back_payment_link_claim(payment text, claimed_at_ text) returns boolean
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

-- What follows from payments outside of their actors reads their events behind a cursor of its own, as the
-- fan-out of webhooks does. An event only says that something happened: what follows is made from the status
-- that the payment has now.
create table payment_follower_cursors (
  partition    smallint primary key,
  position_ms  bigint not null default 0,
  position_seq bigint not null default 0,
  index        integer not null default 0
) with (fillfactor = 20);
-- What happened until now concerns nobody.
insert into payment_follower_cursors select partition, position_ms, position_seq, index from webhook_cursors;

-- Goes over what was committed since, at most `most` events of a partition, and answers how many there were. The
-- cursors move with what follows, or not at all; one that another process is moving is skipped.
create function follow_payments(most integer) returns integer language plpgsql as $$
declare
  events integer;
  touched text[];
begin
  with cursors as materialized (
    select c.* from payment_follower_cursors c for update skip locked),
  batch as materialized (
    select e.* from cursors c cross join lateral (
      select e.partition, e.position_ms, e.position_seq, e.index, e.payment_id
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
     where f.partition = b.partition)
  select count(*)::integer, array_agg(distinct payment_id) into events, touched from batch;
  if touched is not null then perform settle_payment_link_uses(touched); end if;
  return events;
end $$;

create trigger payment_links_audit
  after insert or update of title, description, max_uses, active, expires_at, success_url on payment_links
  for each row execute function audit_change('id', 'merchant_id', 'environment', 'title', 'description',
    'amount', 'min_amount', 'max_amount', 'max_uses', 'active', 'expires_at', 'success_url');
