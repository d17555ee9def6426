-- Invoices: a draft can be changed; finalized, it has a number and a page where it is paid.
--   draft ──▶ open ──▶ paid        draft, open ──▶ void        paid ──▶ open (its payment was reversed)
-- What an invoice is follows from the status that its payments have now (settle_invoices), so events may come
-- twice, late or in any order. Who changes an invoice, or makes a payment for it, holds the lock of its row.

create table invoices (
  id             text collate "C" primary key,
  merchant_id    text collate "C" not null references merchants,
  environment    text collate "C" not null check (environment in ('TEST', 'LIVE')),
  -- given when it is finalized: 1, 2, 3 … of the merchant and environment, without gaps
  number         bigint check (number > 0),
  status         text collate "C" not null default 'draft'
    check (status in ('draft', 'open', 'paid', 'void')),
  customer_name  text,
  customer_email text,
  -- of the mail to the customer
  language       text collate "C" not null check (language in ('id', 'en')),
  notes          text,
  currency       text collate "C" not null,
  -- JSON: [{description, quantity, unit_amount}]
  items          text not null,
  total          bigint not null check (total > 0),
  due_at         timestamptz,
  -- counts the changes of a draft
  revision       integer not null default 1,
  -- the payment that paid it
  payment_id     text collate "C",
  -- whole milliseconds, as cursors of lists tell them
  created_at     timestamptz not null default date_trunc('milliseconds', now()),
  finalized_at   timestamptz,
  paid_at        timestamptz,
  voided_at      timestamptz,
  unique (merchant_id, environment, number),
  check ((number is null) = (finalized_at is null)),
  check ((status = 'paid') = (payment_id is not null)),
  check (status in ('draft', 'void') or number is not null)
);
create index invoices_by_merchant on invoices (merchant_id, created_at, id);

create table invoice_counters (
  merchant_id text collate "C" not null references merchants,
  environment text collate "C" not null,
  last_number bigint not null,
  primary key (merchant_id, environment)
) with (fillfactor = 50);

-- The payments that were begun for an invoice. Their ids follow from invoice and attempt, and what is asked for is
-- always the same: a payment that nobody has seen yet is simply asked for again.
create table invoice_payments (
  invoice_id text collate "C" not null references invoices,
  attempt    integer not null,
  payment_id text collate "C" not null unique,
  begun_at   timestamptz not null default clock_timestamp(),
  primary key (invoice_id, attempt)
);

create trigger invoices_audit after insert or update on invoices for each row
  execute function audit_change('id', 'merchant_id', 'environment', 'status', 'number', 'total', 'payment_id');

-- As it is shown: INV-000001.
create function invoice_number(number_ bigint) returns text language sql immutable
return 'INV-' || lpad(number_::text, greatest(6, length(number_::text)), '0');

-- Gives the number, and writes the mail that tells of it ({number} in its text) if there is one. 'done';
-- 'missing'; 'changed' since that revision; or the status that does not allow it. The row of the counter is locked
-- to the end of the transaction: a number that is given is used.
create function finalize_invoice(id_ text, merchant text, revision_ integer, mail_id text,
                                 recipient_ text, subject_ text, body_ text) returns text
language plpgsql as $$
declare
  invoice invoices;
  number_ bigint;
begin
  select * into invoice from invoices where id = id_ and merchant_id = merchant for no key update;
  if not found then return 'missing'; end if;
  if invoice.status <> 'draft' then return invoice.status; end if;
  if invoice.revision <> revision_ then return 'changed'; end if;
  insert into invoice_counters as c (merchant_id, environment, last_number)
  values (merchant, invoice.environment, 1)
  on conflict (merchant_id, environment) do update set last_number = c.last_number + 1
  returning last_number into number_;
  update invoices set status = 'open', number = number_,
                      finalized_at = date_trunc('milliseconds', clock_timestamp())
   where id = id_;
  if mail_id is not null then
    insert into mails (id, recipient, subject, body)
    values (mail_id, recipient_, replace(subject_, '{number}', invoice_number(number_)),
            replace(body_, '{number}', invoice_number(number_)));
  end if;
  return 'done';
end $$;

-- 'done', 'missing', or the status that does not allow it.
create function void_invoice(id_ text, merchant text) returns text language plpgsql as $$
declare
  status_ text;
begin
  select status into status_ from invoices where id = id_ and merchant_id = merchant for no key update;
  if not found then return 'missing'; end if;
  if status_ not in ('draft', 'open') then return status_; end if;
  update invoices set status = 'void', voided_at = date_trunc('milliseconds', clock_timestamp())
   where id = id_;
  return 'done';
end $$;

-- Begins the payment of an attempt that the caller found to be due: the latest one, or the one behind it where that
-- has failed. 'begin': its command is to be sent (again). 'made': the payment is there. 'again': another attempt is
-- due by now. Else 'missing', 'not_live', or the status of the invoice.
create function begin_invoice_payment(id_ text, attempt_ integer, payment text) returns text
language plpgsql as $$
declare
  invoice invoices;
  latest integer;
begin
  select * into invoice from invoices where id = id_ for no key update;
  if not found then return 'missing'; end if;
  if invoice.status <> 'open' then return invoice.status; end if;
  if exists (select from payments where id = payment) then return 'made'; end if;
  if not takes_payments(invoice.merchant_id, invoice.environment) then return 'not_live'; end if;
  select coalesce(max(attempt), 0) into latest from invoice_payments where invoice_id = id_;
  if attempt_ = latest then return 'begin'; end if;
  if attempt_ <> latest + 1 or exists (
    select from invoice_payments i left join payments p on p.id = i.payment_id
     where i.invoice_id = id_ and coalesce(p.status, 'creating') not in ('failed', 'cancelled')) then
    return 'again';
  end if;
  insert into invoice_payments (invoice_id, attempt, payment_id) values (id_, attempt_, payment);
  return 'begin';
end $$;

-- Makes the invoices of these payments what their payments are now. The first that is paid pays the invoice; money
-- that comes beside it, or for a void one, is for an operator to send back.
create function settle_invoices(payments_ text[]) returns void language plpgsql as $$
declare
  invoice invoices;
begin
  for invoice in
    select * from invoices
     where id in (select invoice_id from invoice_payments where payment_id = any(payments_))
     order by id for no key update
  loop
    perform act_as('payments', '');
    perform settle_invoice(invoice);
  end loop;
end $$;

create function settle_invoice(invoice invoices) returns void language plpgsql as $$
declare
  paying text;
begin
  if invoice.status <> 'void' then
    select i.payment_id into paying
      from invoice_payments i join payments p on p.id = i.payment_id
     where i.invoice_id = invoice.id and p.status in ('paid', 'refunded')
     order by (i.payment_id = invoice.payment_id) desc nulls last, i.attempt limit 1;
    update invoices
       set status = case when paying is null then 'open' else 'paid' end, payment_id = paying,
           -- Out of the text, not out of parsed JSON (0012): its metadata are ours.
           paid_at = (select substring(e.envelope from '"paid_at":"([0-9TZ:.-]+)"')::timestamptz
                        from payment_events e where e.payment_id = paying and e.envelope is not null
                       order by e.version desc limit 1)
     where id = invoice.id and payment_id is distinct from paying;
  end if;
  -- Versions of payments begin at 1: no task of theirs has these ids.
  insert into operator_tasks (id, kind, payment_id, details, opened_at)
  select 'task_' || substr(p.id, 5) || '000000',
         case invoice.status when 'void' then 'invoice_paid_void' else 'invoice_paid_twice' end, p.id,
         json_strip_nulls(json_build_object('invoice', invoice.id, 'number', invoice_number(invoice.number),
                                            'paidBy', paying))::text, now()
    from invoice_payments i join payments p on p.id = i.payment_id
   where i.invoice_id = invoice.id and p.status in ('paid', 'refunded') and p.id is distinct from paying
  on conflict (id) do nothing;
end $$;

-- As before (0015), and invoices with it.
create or replace function follow_payments(most integer) returns integer language plpgsql as $$
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
  if touched is not null then
    perform settle_payment_link_uses(touched);
    perform settle_invoices(touched);
  end if;
  return events;
end $$;
