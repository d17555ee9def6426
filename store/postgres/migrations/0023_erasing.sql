-- Erasing what people wrote (docs/erasing.md), and a bound on the mails that invoices send.
--
-- Whatever is to be erased has a row in erasures, and it stays: what is logged of it later is not kept either.
-- A request finds its rows step by step, and forgets what it looked for when it has. Each step can be repeated,
-- so any process may go on where another died:
--   asked ──▶ erased (erased_at; of a payment: its actor forgot it, then all traces went) ──▶ swept (swept_at: once
--   more a minute later, for what was under way)

create table erasure_requests (
  id                text collate "C" primary key,
  merchant_id       text collate "C" not null references merchants,
  environment       text collate "C" not null check (environment in ('TEST', 'LIVE')),
  field             text collate "C" not null check (field in
    ('payment_id', 'payout_id', 'invoice_id', 'customer_email', 'customer_phone', 'reference_id')),
  -- null once everything was looked through
  sought            text,
  with_reference    boolean not null,
  -- whole milliseconds, as cursors of lists tell them
  created_at        timestamptz not null default date_trunc('milliseconds', now()),
  -- up to where the merchant's payments were looked through
  reached_at        timestamptz not null default '-infinity',
  reached_id        text collate "C" not null default '',
  looked_through_at timestamptz,
  completed_at      timestamptz,
  check ((sought is null) = (looked_through_at is not null))
);
create index erasure_requests_by_merchant on erasure_requests (merchant_id, created_at, id);
create index erasure_requests_open on erasure_requests (created_at) where completed_at is null;
-- What was sought is not watched: it would stay.
create trigger erasure_requests_audit after insert on erasure_requests for each row
  execute function audit_change('id', 'merchant_id', 'environment', 'field', 'with_reference');

-- id: of a payment, a payout or an invoice.
create table erasures (
  id             text collate "C" primary key,
  with_reference boolean not null,
  asked_at       timestamptz not null default now(),
  -- when somebody looks at it again; that is how processes share them
  look_at        timestamptz not null default now(),
  erased_at      timestamptz,
  swept_at       timestamptz
);
create index erasures_due on erasures (look_at) where swept_at is null;

create table erasure_finds (
  request_id text collate "C" not null references erasure_requests,
  subject_id text collate "C" not null references erasures,
  primary key (request_id, subject_id)
);

-- By age: up to where the payments, payouts and invoices of a merchant were asked for.
create table erasure_walks (
  kind        text collate "C" not null,
  merchant_id text collate "C" not null references merchants,
  environment text collate "C" not null,
  reached_at  timestamptz not null,
  reached_id  text collate "C" not null,
  primary key (kind, merchant_id, environment)
);

create index invoices_by_customer on invoices (merchant_id, lower(customer_email))
  where customer_email is not null;
create index rail_callbacks_by_subject on rail_callbacks (subject_id) where subject_id is not null;

-- `again`: also those that were erased before.
create function ask_erasures(ids text[], with_reference_ boolean, again boolean) returns void
language sql as $$
  insert into erasures as e (id, with_reference)
  select id, with_reference_ from unnest(ids) as i (id) order by id
  on conflict (id) do update
     set with_reference = e.with_reference or excluded.with_reference, look_at = now(),
         erased_at = null, swept_at = null
   where again
$$;

-- Digits only, as they are dialled from abroad: 0812… and +62 812… are one number.
create function dialled(phone text) returns text language sql immutable parallel safe
return regexp_replace(regexp_replace(phone, '[^0-9]', '', 'g'), '^0', '62');

-- Those of the next `most` payments of the merchant whose customer is sought, and where they end.
create function find_customer(r erasure_requests, most integer, out found text[], out looked integer,
                              out at timestamptz, out id text) language sql stable as $$
  select array_agg(p.id) filter (where case r.field
           when 'customer_email' then
             case when strpos(lower(p.snapshot), lower(r.sought)) > 0
                  then lower(p.snapshot::json ->> 'customer_email') = lower(r.sought) end
           else
             case when strpos(p.snapshot, '"customer_phone":"') > 0
                  then dialled(p.snapshot::json ->> 'customer_phone') = dialled(r.sought) end
           end),
         count(*)::integer, max(p.created_at), (array_agg(p.id order by p.created_at desc, p.id desc))[1]
    from (select o.id, o.created_at, o.snapshot from payments o
           where o.merchant_id = r.merchant_id and o.environment = r.environment
             and (o.created_at, o.id) > (r.reached_at, r.reached_id)
           order by o.created_at, o.id limit most) p
$$;

-- Looks through the next `most` payments for a request.
create function look_through(request text, most integer) returns void language plpgsql as $$
declare
  r erasure_requests;
  looked integer := 0;
  ids text[] := '{}';
begin
  select * into r from erasure_requests
   where id = request and looked_through_at is null for update skip locked;
  if not found then return; end if;
  case r.field
    when 'payment_id' then
      ids := array(select id from payments
                    where id = r.sought and merchant_id = r.merchant_id and environment = r.environment);
    when 'payout_id' then
      ids := array(select id from payouts
                    where id = r.sought and merchant_id = r.merchant_id and environment = r.environment);
    when 'invoice_id' then
      ids := array(select id from invoices
                    where id = r.sought and merchant_id = r.merchant_id and environment = r.environment);
    when 'reference_id' then
      ids := array(select id from payments
                    where reference_id = r.sought and merchant_id = r.merchant_id
                      and environment = r.environment);
    else
      select coalesce(f.found, '{}'), f.looked, coalesce(f.at, r.reached_at), coalesce(f.id, r.reached_id)
        into ids, looked, r.reached_at, r.reached_id from find_customer(r, most) f;
      if r.field = 'customer_email' then
        ids := ids || array(select id from invoices
                             where merchant_id = r.merchant_id and environment = r.environment
                               and lower(customer_email) = lower(r.sought));
      end if;
  end case;
  -- An invoice and its payments tell of the same customer.
  ids := ids
    || array(select p.id from invoice_payments i join payments p on p.id = i.payment_id
              where i.invoice_id = any(ids))
    || array(select invoice_id from invoice_payments where payment_id = any(ids));
  ids := array(select distinct unnest(ids));
  perform ask_erasures(ids, r.with_reference, true);
  insert into erasure_finds (request_id, subject_id) select r.id, unnest(ids) on conflict do nothing;
  update erasure_requests
     set reached_at = r.reached_at, reached_id = r.reached_id,
         sought = case when looked = most then sought end,
         looked_through_at = case when looked < most then clock_timestamp() end
   where id = r.id;
end $$;

-- Asks for the next `most` of each merchant that are older; how many.
create function ask_erasures_by_age(days integer, most integer) returns integer language plpgsql as $$
declare
  kind_ text;
  page record;
  asked integer := 0;
begin
  foreach kind_ in array array['payments', 'payouts', 'invoices'] loop
    for page in execute format($q$
      select m.id as merchant_id, e.environment, p.ids, p.last_at, p.last_id
        from merchants m cross join (values ('TEST'), ('LIVE')) as e (environment)
        left join erasure_walks w on w.kind = %1$L and w.merchant_id = m.id and w.environment = e.environment
       cross join lateral (
         select array_agg(o.id) as ids, max(o.created_at) as last_at,
                (array_agg(o.id order by o.created_at desc, o.id desc))[1] as last_id
           from (select id, created_at from %1$I
                  where merchant_id = m.id and environment = e.environment
                    and (created_at, id) > (coalesce(w.reached_at, '-infinity'), coalesce(w.reached_id, ''))
                    and created_at < now() - $1 * interval '1 day'
                  order by created_at, id limit $2) o) p
       where p.ids is not null limit 8 $q$, kind_) using days, most
    loop
      perform ask_erasures(page.ids, false, false);
      insert into erasure_walks as w (kind, merchant_id, environment, reached_at, reached_id)
      values (kind_, page.merchant_id, page.environment, page.last_at, page.last_id)
      on conflict (kind, merchant_id, environment) do update
         set reached_at = excluded.reached_at, reached_id = excluded.reached_id
       where (w.reached_at, w.reached_id) < (excluded.reached_at, excluded.reached_id);
      asked := asked + cardinality(page.ids);
    end loop;
  end loop;
  return asked;
end $$;

create function end_erasure(subject text) returns void language sql as $$
  update erasures
     set swept_at = case when erased_at < now() - interval '50 seconds' then now() end,
         erased_at = coalesce(erased_at, now()), look_at = now() + interval '1 minute'
   where id = subject
$$;

-- What was logged, called back or parked about a subject. `names`: those under which rails know it.
create function erase_records(subject text, names text[]) returns void language plpgsql as $$
begin
  update api_logs set query = null, idempotency_key = null, request_body = null, response_body = null
   where payment_id = subject;
  update rail_callbacks set body = '' where subject_id = any(names) and length(body) > 0;
  update parked_commands set command = json_build_object('i', subject)::text, error = 'erased'
   where strpos(command, subject) > 0;
end $$;

-- A payment that its actor has erased already; its envelopes are rewritten before. `events_`: their ids.
create function erase_payment_traces(payment text, names text[], events_ text[], with_reference_ boolean)
returns void language plpgsql as $$
begin
  if with_reference_ then
    update payments set reference_id = null where id = payment and reference_id is not null;
  end if;
  -- What receivers answered may repeat what they were sent.
  update webhook_attempts a set excerpt = null
    from webhook_deliveries d
   where d.event_id = any(events_) and a.delivery_id = d.id and a.excerpt is not null;
  perform erase_records(payment, names);
  perform end_erasure(payment);
end $$;

-- False: it is not over yet. The last digits of the account stay: with bank, amount and reference they tell which
-- line of a bank's statement it was.
create function erase_payout(payout text, with_reference_ boolean) returns boolean language plpgsql as $$
begin
  update payouts
     set account_holder = '[erased]', description = null,
         account_number = lpad(right(account_number, 4), length(account_number), '*'),
         reference_id = case when not with_reference_ then reference_id end
   where id = payout and status in ('COMPLETED', 'FAILED', 'REVERSED');
  if not found then return false; end if;
  perform erase_records(payout, array[payout]);
  perform end_erasure(payout);
  return true;
end $$;

-- False: it waits to be paid. What was sold stays, with the number: books refer to it.
create function erase_invoice(invoice text) returns boolean language plpgsql as $$
begin
  update invoices set customer_name = null, customer_email = null, notes = null,
                      revision = revision + (status = 'draft')::integer
   where id = invoice and status <> 'open';
  if not found then return false; end if;
  update mails set recipient = '', subject = '', body = '', error = null, sent_at = coalesce(sent_at, now())
   where invoice_id = invoice;
  perform end_erasure(invoice);
  return true;
end $$;

-- Mails to people whom a merchant names. merchant_id is null for all others.
alter table mails add column merchant_id text collate "C", add column invoice_id text collate "C";
create index mails_by_merchant on mails (merchant_id, created_at) where merchant_id is not null;
create index mails_by_recipient on mails (lower(recipient), created_at) where merchant_id is not null;
create index mails_by_invoice on mails (invoice_id) where invoice_id is not null;

-- After how many seconds another mail may be written; 0: now. `hourly` of the merchant, `daily` of the address,
-- whoever writes to it; a bound of 0 is none. Whoever asks has the right to it until the transaction ends.
create function wait_for_mail(merchant text, address text, hourly integer, daily integer) returns integer
language plpgsql as $$
declare
  free_at timestamptz;
begin
  perform pg_advisory_xact_lock(hashtextextended('mails of ' || merchant, 0));
  perform pg_advisory_xact_lock(hashtextextended('mails to ' || lower(address), 0));
  select max(at) into free_at from (
    (select created_at + interval '1 hour' from mails
      where merchant_id = merchant and hourly > 0 order by created_at desc offset greatest(hourly - 1, 0) limit 1)
    union all
    (select created_at + interval '1 day' from mails
      where lower(recipient) = lower(address) and merchant_id is not null and daily > 0
      order by created_at desc offset greatest(daily - 1, 0) limit 1)) as bounds (at);
  return coalesce(greatest(0, ceil(extract(epoch from free_at - clock_timestamp())))::integer, 0);
end $$;

-- As before (0016), with a bound on mails: 'wait <seconds>' when it is reached, and nothing is done.
drop function finalize_invoice(text, text, integer, text, text, text, text);
create function finalize_invoice(id_ text, merchant text, revision_ integer, mail_id text, recipient_ text,
                                 subject_ text, body_ text, hourly integer, daily integer) returns text
language plpgsql as $$
declare
  invoice invoices;
  number_ bigint;
  wait_s integer;
begin
  select * into invoice from invoices where id = id_ and merchant_id = merchant for no key update;
  if not found then return 'missing'; end if;
  if invoice.status <> 'draft' then return invoice.status; end if;
  if invoice.revision <> revision_ then return 'changed'; end if;
  if mail_id is not null then
    wait_s := wait_for_mail(merchant, recipient_, hourly, daily);
    if wait_s > 0 then return 'wait ' || wait_s; end if;
  end if;
  insert into invoice_counters as c (merchant_id, environment, last_number)
  values (merchant, invoice.environment, 1)
  on conflict (merchant_id, environment) do update set last_number = c.last_number + 1
  returning last_number into number_;
  update invoices set status = 'open', number = number_,
                      finalized_at = date_trunc('milliseconds', clock_timestamp())
   where id = id_;
  if mail_id is not null then
    insert into mails (id, recipient, subject, body, merchant_id, invoice_id)
    values (mail_id, recipient_, replace(subject_, '{number}', invoice_number(number_)),
            replace(body_, '{number}', invoice_number(number_)), merchant, id_);
  end if;
  return 'done';
end $$;
