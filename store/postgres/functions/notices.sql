-- Notices: facts that merchants hear of by mail.

-- Part of the transaction that stores the fact. Leaves out a kind that the merchant has switched off, and a fact that has a
-- notice.
create or replace function write_notice(kind_ text, merchant text, fact_ text, details_ json) returns void language sql as $$
  insert into notices (kind, merchant_id, fact, details)
  select kind_, m.id, fact_, details_::text from merchants m where m.id = merchant and kind_ = any(m.notices)
  on conflict do nothing
$$;
