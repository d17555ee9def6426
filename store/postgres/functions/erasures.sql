-- Erasure of personal data: requests, the search for a customer, and the erasing of each kind of object.

-- Adds objects of a merchant to be erased; `again`: also those that were erased before.
create or replace function ask_erasures(
  merchant text, environment_ text, ids text[], with_reference_ boolean, again boolean
) returns void language sql as $$
  insert into erasure_subjects as e (id, merchant_id, environment, with_reference)
  select id, merchant, environment_, with_reference_ from unnest(ids) as i (id) order by id
  on conflict (id) do update
     set with_reference = e.with_reference or excluded.with_reference, due_at = now(),
         erased_at = null, swept_at = null
   where again
$$;

-- The digits of a phone number as dialled from abroad: 0812… and +62 812… are the same number.
create or replace function dialled(phone text) returns text language sql immutable parallel safe
return regexp_replace(regexp_replace(phone, '[^0-9]', '', 'g'), '^0', '62');

-- The payments of the requested customer among the merchant's next `most` payments, how many were searched, and
-- the last one of them.
create or replace function find_customer(
  r erasure_requests, most integer, out found text[], out looked integer, out at timestamptz, out id text
) language sql stable as $$
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

-- The objects that a request is about among the merchant's next `most` payments, how many were searched, and the last one.
create or replace function find_subjects(
  r erasure_requests, most integer, out ids text[], out looked integer, out last_at timestamptz, out last_id text
) language plpgsql stable as $$
begin
  looked := 0;
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
      select coalesce(f.found, '{}'), f.looked, f.at, f.id
        into ids, looked, last_at, last_id from find_customer(r, most) f;
      if r.field = 'customer_email' then
        ids := ids || array(select id from invoices
                             where merchant_id = r.merchant_id and environment = r.environment
                               and lower(customer_email) = lower(r.sought));
      end if;
  end case;
  -- An invoice and its payments have the same customer.
  ids := ids
    || array(select p.id from invoice_payments i join payments p on p.id = i.payment_id
              where i.invoice_id = any(ids))
    || array(select invoice_id from invoice_payments where payment_id = any(ids));
  ids := array(select distinct unnest(ids));
end $$;

-- Searches the next `most` payments for a request.
create or replace function look_through(request text, most integer) returns void language plpgsql as $$
declare
  r erasure_requests;
  f record;
begin
  select * into r from erasure_requests
   where id = request and looked_through_at is null for update skip locked;
  if not found then return; end if;
  select * into f from find_subjects(r, most);
  perform ask_erasures(r.merchant_id, r.environment, f.ids, r.with_reference, true);
  insert into erasure_finds (request_id, subject_id) select r.id, unnest(f.ids) on conflict do nothing;
  update erasure_requests
     set reached_at = coalesce(f.last_at, r.reached_at), reached_id = coalesce(f.last_id, r.reached_id),
         due_at = clock_timestamp(), sought = case when f.looked = most then sought end,
         looked_through_at = case when f.looked < most then clock_timestamp() end
   where id = r.id;
end $$;

-- Adds the next `most` objects of each merchant and kind that are older than `days`. Returns how many.
create or replace function ask_erasures_by_age(days integer, most integer) returns integer language plpgsql as $$
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
      perform ask_erasures(page.merchant_id, page.environment, page.ids, false, false);
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

-- Marks an object as erased, then as swept.
create or replace function end_erasure(subject text) returns void language sql as $$
  update erasure_subjects
     set swept_at = case when erased_at < now() - interval '50 seconds' then now() end,
         erased_at = coalesce(erased_at, now()), due_at = now() + interval '1 minute'
   where id = subject
$$;

-- Erases logs, callbacks and quarantined commands about an object. `names`: the ids under which rails know it.
create or replace function erase_records(subject text, names text[]) returns void language plpgsql as $$
begin
  update api_logs set query = null, idempotency_key = null, request_body = null, response_body = null
   where payment_id = subject;
  update rail_callbacks set body = '' where subject_id = any(names) and length(body) > 0;
  update quarantined_commands set command = json_build_object('paymentId', subject)::text, error = 'erased'
   where strpos(command, subject) > 0;
end $$;

-- Erases the traces of a payment that its actor has erased and whose envelopes are rewritten. `events_`: the ids
-- of its events.
create or replace function erase_payment_traces(payment text, names text[], events_ text[], with_reference_ boolean)
returns void language plpgsql as $$
begin
  if with_reference_ then
    update payments set reference_id = null where id = payment and reference_id is not null;
  end if;
  -- A receiver's answer may repeat what it was sent, and the signatures are those of the bytes before the erasure.
  update webhook_attempts a set excerpt = null, signatures = null
    from webhook_deliveries d
   where d.event_id = any(events_) and a.delivery_id = d.id and coalesce(a.excerpt, a.signatures) is not null;
  update mails set recipient = '', subject = '', body = '', error = null, sent_at = coalesce(sent_at, now())
   where payment_id = payment;
  perform erase_records(payment, names);
  perform end_erasure(payment);
end $$;

-- Removes the merchant's reference from a payout's envelope; the bytes before and after it stay. The other texts of an
-- envelope are made by the service.
create or replace function erase_reference(envelope text) returns text language sql immutable as $$
  select regexp_replace(envelope, '"reference_id":"(\\.|[^"\\])*"', '"reference_id":null')
$$;

-- Returns false if the payout has not ended. The last digits of the account are kept: with bank, amount and
-- reference they identify the line of a bank statement.
create or replace function erase_payout(payout text, with_reference_ boolean) returns boolean language plpgsql as $$
begin
  update payouts
     set account_holder = '[erased]', description = null,
         account_number = lpad(right(account_number, 4), length(account_number), '*'),
         reference_id = case when not with_reference_ then reference_id end
   where id = payout and status in ('COMPLETED', 'FAILED', 'REVERSED');
  if not found then return false; end if;
  if with_reference_ then
    update payout_events set envelope = erase_reference(envelope)
     where payout_id = payout and envelope is not null;
    update webhook_deliveries set body = erase_reference(body)
     where event_id > 'evt_' || substr(payout, 4) and event_id < 'evt_' || substr(payout, 4) || '~'
       and payout_id = payout;
  end if;
  -- A receiver's answer may repeat what it was sent, and the signatures are those of the bytes before the erasure.
  update webhook_attempts a set excerpt = null, signatures = null
    from webhook_deliveries d
   where d.event_id > 'evt_' || substr(payout, 4) and d.event_id < 'evt_' || substr(payout, 4) || '~'
     and d.payout_id = payout and a.delivery_id = d.id and coalesce(a.excerpt, a.signatures) is not null;
  perform erase_records(payout, array[payout]);
  perform end_erasure(payout);
  return true;
end $$;

-- Returns false if the invoice waits to be paid. Items and number are kept, since the merchant's books refer to
-- them.
create or replace function erase_invoice(invoice text) returns boolean language plpgsql as $$
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
