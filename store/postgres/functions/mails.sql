-- The limits on mails, so that nobody floods a mailbox in our name. They hold for each row that is inserted into mails.

-- The mailbox that an address leads to, as a digest: in lower case, without a +tag, and at Gmail without dots.
create or replace function digest_mailbox(address text) returns text language sql immutable as $$
  with parts as (
    select split_part(split_part(lower(address), '@', 1), '+', 1) as name,
           replace(split_part(lower(address), '@', 2), 'googlemail.com', 'gmail.com') as host)
  select encode(sha256(convert_to(
           case host when 'gmail.com' then replace(name, '.', '') else name end || '@' || host, 'UTF8')), 'hex')
    from parts
$$;

-- Mails of one merchant in an hour (0: no limit) and to one mailbox in a day.
--   registration  verification of an address, and the mail about one that is registered already: anybody causes them
--   reset         links to choose a password: anybody causes them, and nothing may suppress them (mail_pace)
--   invite        invitations: their sender writes no part of them but the business name
--   invoice       invoices; the limit of a merchant is configured (INVOICE_MAILS_PER_HOUR)
--   notice        what happened to an account: its users and administrators cause them
--   operation     endpoints and payouts that fail: so many of them must not suppress a notice about an account
--   payment       payments that a merchant received
--   receipt       to customers, for payments that they made
create or replace function mail_limits(budget_ text, out hourly integer, out daily integer) language sql immutable as $$
  select case budget_ when 'invite' then 20 else 0 end,
         case budget_ when 'registration' then 5 when 'invite' then 3 when 'notice' then 50
                      when 'operation' then 50 when 'payment' then 200 else 10 end
$$;

-- Beyond its daily limit a mailbox gets another such mail when it got none for so long; null: not before the day is over.
-- Strangers cause these mails, so they would use up the limit of a day for the owner of the mailbox, who needs the link. A link
-- to choose a password lives as long.
create or replace function mail_pace(budget_ text) returns interval language sql immutable as $$
  select case when budget_ in ('registration', 'reset') then interval '1 hour' end
$$;

-- Whether mails about something in this environment may go to a customer with this address. Anybody gets TEST without a
-- verification and writes any words there, so TEST mails go to users of the merchant who have proven their address.
create or replace function may_mail_customer(merchant text, environment_ text, address text) returns boolean
language sql stable as $$
  select environment_ <> 'TEST'
      or exists (select from users u where u.merchant_id = merchant and u.email = lower(address)
                                       and u.verified_at is not null)
$$;

-- Mails that a merchant may cause in a day before its verification is approved, of all budgets together.
create or replace function unapproved_daily_mails() returns integer language sql immutable return 10;

-- Seconds until such a merchant may cause another mail; 0: now. It has few mails, so their index by merchant suffices.
create or replace function wait_for_unapproved(merchant text) returns integer language sql as $$
  select coalesce(greatest(0, ceil(extract(epoch from max(bound.free_at) - clock_timestamp())))::integer, 0)
    from (select created_at + interval '1 day' as free_at from mails
           where merchant_id = merchant
             and not exists (select from merchants m where m.id = merchant and m.verification_status = 'APPROVED')
           order by created_at desc offset unapproved_daily_mails() - 1 limit 1) as bound
$$;

-- Returns the seconds until another mail may be written; 0: now. `hourly` is the limit of the merchant; 0 or no merchant:
-- none. Both locks are held until the transaction ends, so that the caller may rely on the answer.
create or replace function wait_for_mail(budget_ text, merchant text, mailbox_ text, hourly integer) returns integer
language plpgsql as $$
declare
  daily constant integer := (mail_limits(budget_)).daily;
  free_at timestamptz;
begin
  if merchant is not null then
    perform pg_advisory_xact_lock(hashtextextended('mails of ' || merchant, 0));
  end if;
  perform pg_advisory_xact_lock(hashtextextended('mails to ' || mailbox_, 0));
  select max(at) into free_at from (
    (select created_at + interval '1 hour' from mails
      where merchant_id = merchant and budget = budget_ and hourly > 0
      order by created_at desc offset greatest(hourly - 1, 0) limit 1)
    union all
    (select least(created_at + interval '1 day',
                  (select max(created_at) from mails where mailbox = mailbox_ and budget = budget_)
                    + mail_pace(budget_)) from mails
      where mailbox = mailbox_ and budget = budget_
      order by created_at desc offset daily - 1 limit 1)) as bounds (at);
  return greatest(coalesce(ceil(extract(epoch from free_at - clock_timestamp()))::integer, 0),
                  wait_for_unapproved(merchant));
end $$;

-- Leaves out a mail beyond the limits. Callers whose users should learn of it call wait_for_mail first.
create or replace function limit_mail() returns trigger language plpgsql as $$
begin
  new.mailbox := digest_mailbox(new.recipient);
  if wait_for_mail(new.budget, new.merchant_id, new.mailbox, (mail_limits(new.budget)).hourly) > 0 then
    return null;
  end if;
  return new;
end $$;
