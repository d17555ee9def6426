-- Invoices and their payments.

-- The number as it is shown: INV-000001.
create or replace function invoice_number(number_ bigint) returns text language sql immutable
return 'INV-' || lpad(number_::text, greatest(6, length(number_::text)), '0');

-- Gives the invoice its number, and writes the mail to the customer, if there is one ({number} in its text is
-- replaced). Returns 'done'; 'missing'; 'changed' since that revision; 'wait <seconds>' when a limit on mails is
-- reached, and nothing is done; or the present status if it does not allow it. The counter's row is locked until
-- the transaction ends, so that numbers have no gaps.
create or replace function finalize_invoice(
  id_ text, merchant text, revision_ integer, mail_id text, recipient_ text, subject_ text, body_ text,
  hourly integer
) returns text language plpgsql as $$
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
    wait_s := wait_for_mail('invoice', merchant, digest_mailbox(recipient_), hourly);
    if wait_s > 0 then return 'wait ' || wait_s; end if;
  end if;
  insert into invoice_counters as c (merchant_id, environment, last_number)
  values (merchant, invoice.environment, 1)
  on conflict (merchant_id, environment) do update set last_number = c.last_number + 1
  returning last_number into number_;
  update invoices set status = 'open', number = number_,
                      finalized_at = date_trunc('milliseconds', clock_timestamp()),
                      sent_at = case when mail_id is not null then date_trunc('milliseconds', clock_timestamp()) end
   where id = id_;
  if mail_id is not null then
    insert into mails (id, recipient, subject, body, budget, merchant_id, invoice_id)
    values (mail_id, recipient_, replace(subject_, '{number}', invoice_number(number_)),
            replace(body_, '{number}', invoice_number(number_)), 'invoice', merchant, id_);
  end if;
  return 'done';
end $$;

-- Whether the customer has paid, also before the event of the payment has reached the invoice.
create or replace function has_paid_invoice(id_ text) returns boolean language sql stable as $$
  select exists (select from invoice_payments i join payments p on p.id = i.payment_id
                  where i.invoice_id = id_ and p.status in ('paid', 'refunded'))
$$;

-- Writes a mail of an open invoice, 'invoice' again or a 'reminder'. Returns 'done'; 'missing'; 'unaddressed' when its
-- customer has another address or none; the present status if it does not allow it, and 'paid' also before the event of its
-- payment has reached it; 'soon <seconds>' when such a mail was written a moment ago, so that two presses of a button send
-- one; or 'wait <seconds>' when a limit on mails is reached.
create or replace function mail_invoice(
  id_ text, merchant text, kind_ text, mail_id text, recipient_ text, subject_ text, body_ text, hourly integer
) returns text language plpgsql as $$
declare
  invoice invoices;
  now_ constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  free_at timestamptz;
  wait_s integer;
begin
  select * into invoice from invoices where id = id_ and merchant_id = merchant for no key update;
  if not found then return 'missing'; end if;
  if invoice.status <> 'open' then return invoice.status; end if;
  if has_paid_invoice(id_) then return 'paid'; end if;
  if invoice.customer_email is distinct from recipient_ then return 'unaddressed'; end if;
  free_at := case kind_ when 'reminder' then invoice.reminded_at + interval '1 day'
                        else invoice.sent_at + interval '10 minutes' end;
  if free_at > now_ then return 'soon ' || ceil(extract(epoch from free_at - now_))::integer; end if;
  wait_s := wait_for_mail('invoice', merchant, digest_mailbox(recipient_), hourly);
  if wait_s > 0 then return 'wait ' || wait_s; end if;
  update invoices set sent_at = case kind_ when 'reminder' then sent_at else now_ end,
                      reminded_at = case kind_ when 'reminder' then now_ else reminded_at end
   where id = id_;
  insert into mails (id, recipient, subject, body, budget, merchant_id, invoice_id)
  values (mail_id, recipient_, subject_, body_, 'invoice', merchant, id_);
  return 'done';
end $$;

-- Returns 'done'; 'missing'; or the present status if it does not allow it, and 'paid' also before the event of its payment has
-- reached it: its customer would read that there is nothing to pay, and its money would need an operator.
create or replace function void_invoice(id_ text, merchant text) returns text language plpgsql as $$
declare
  status_ text;
begin
  select status into status_ from invoices where id = id_ and merchant_id = merchant for no key update;
  if not found then return 'missing'; end if;
  if status_ not in ('draft', 'open') then return status_; end if;
  if has_paid_invoice(id_) then return 'paid'; end if;
  update invoices set status = 'void', voided_at = date_trunc('milliseconds', clock_timestamp())
   where id = id_;
  return 'done';
end $$;

-- Begins the payment of an attempt that the caller found to be due: the latest one, or the next one if the latest
-- failed. Returns 'begin' if its command is to be sent (again); 'made' if the payment exists; 'again' if another
-- attempt is due by now; else 'missing', 'not_live', or the status of the invoice.
create or replace function begin_invoice_payment(id_ text, attempt_ integer, payment text) returns text
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

-- Sets the invoices of these payments by the payments' present status.
create or replace function settle_invoices(payments_ text[]) returns void language plpgsql as $$
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

-- The first paid payment pays the invoice. Any other payment that is paid, or one for a void invoice, becomes a
-- task: an operator sends the money back.
create or replace function settle_invoice(invoice invoices) returns void language plpgsql as $$
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
           -- From the text, not from parsed JSON, for the reason given at read_envelope.
           paid_at = (select substring(e.envelope from '"paid_at":"([0-9TZ:.-]+)"')::timestamptz
                        from payment_events e where e.payment_id = paying and e.envelope is not null
                       order by e.version desc limit 1)
     where id = invoice.id and payment_id is distinct from paying;
  end if;
  -- Versions of payments begin at 1, so a payment's own tasks never have an id that ends in 000000.
  insert into operator_tasks (id, kind, payment_id, details, opened_at)
  select 'task_' || substr(p.id, 5) || '000000',
         case invoice.status when 'void' then 'invoice_paid_void' else 'invoice_paid_twice' end, p.id,
         json_strip_nulls(json_build_object('invoice', invoice.id, 'number', invoice_number(invoice.number),
                                            'paidBy', paying))::text, now()
    from invoice_payments i join payments p on p.id = i.payment_id
   where i.invoice_id = invoice.id and p.status in ('paid', 'refunded') and p.id is distinct from paying
  on conflict (id) do nothing;
end $$;
