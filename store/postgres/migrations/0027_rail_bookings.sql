-- What an operator books by the reports of rails and of our bank (actors/core/rails/bookings.ts): fees, and money
-- between a rail and our own account. A posting of it is caused by the booking: postings.payment_id names it.
create table rail_bookings (
  id        text collate "C" primary key,
  kind      text collate "C" not null check (kind in ('fee', 'fee_returned', 'settled', 'topped_up')),
  rail      text collate "C" not null,
  amount    bigint not null check (amount > 0),
  currency  text collate "C" not null,
  reference text not null,
  note      text not null,
  booked_at timestamptz not null default date_trunc('milliseconds', now()),
  unique (rail, kind, reference)
);
create trigger rail_bookings_audit after insert or update or delete on rail_bookings for each row
  execute function audit_change('id', 'kind', 'rail', 'amount', 'reference', 'note');

-- Books it once, with its posting, in one statement. 'booked'; 'known': it was, by the same reference;
-- 'differs': so it was, with another amount, and nothing was done.
create function book_at_rail(p_row jsonb, debit_ text, credit_ text, reason_ text)
returns text language plpgsql as $$
declare
  r rail_bookings := jsonb_populate_record(null::rail_bookings, p_row);
begin
  insert into rail_bookings (id, kind, rail, amount, currency, reference, note)
  values (r.id, r.kind, r.rail, r.amount, r.currency, r.reference, r.note)
  on conflict do nothing;
  if found then
    perform post(r.id, 1, debit_, credit_, r.amount, r.currency, reason_);
    return 'booked';
  end if;
  perform from rail_bookings b where b.id = r.id and b.amount = r.amount and b.currency = r.currency;
  return case when found then 'known' else 'differs' end;
end
$$;
