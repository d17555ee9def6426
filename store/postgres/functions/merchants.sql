-- Verification of merchants and the permission to take LIVE payments.

-- Returns 'done', 'documents' (one of them is not the merchant's), or the present status if it does not allow
-- a submission.
create or replace function submit_kyc(merchant text, id_ text, fields_ text, documents text[], by_ text)
returns text language plpgsql as $$
declare
  status_ text;
begin
  select verification_status into status_ from merchants where id = merchant for update;
  if status_ not in ('UNVERIFIED', 'REJECTED') then return status_; end if;
  if exists (select 1 from unnest(documents) as d where not exists
              (select 1 from kyc_documents k where k.id = d and k.merchant_id = merchant)) then
    return 'documents';
  end if;
  insert into kyc_submissions (id, merchant_id, fields, document_ids, submitted_by)
  values (id_, merchant, fields_, documents, by_);
  update merchants set verification_status = 'PENDING' where id = merchant;
  return 'done';
end $$;

-- Reserves the one upload that a merchant may have under way, for `lease_s` seconds. Returns 'done'; 'busy' if another
-- one is under way; 'documents' or 'bytes' if the merchant would have more than the limit. The count follows the
-- reservation, so that no other upload changes it. First it removes the parts that dead gateways left.
create or replace function begin_kyc_upload(
  merchant text, request text, bytes_ integer, max_documents integer, max_bytes bigint, lease_s integer
) returns text language plpgsql as $$
declare
  documents_ integer;
  kept bigint;
begin
  perform end_kyc_uploads(array(select merchant_id from kyc_uploads where expires_at <= clock_timestamp()
                                   for update skip locked));
  insert into kyc_uploads as u (merchant_id, request_id, expires_at)
  values (merchant, request, clock_timestamp() + make_interval(secs => lease_s))
  on conflict (merchant_id) do update set request_id = excluded.request_id, expires_at = excluded.expires_at
   where u.expires_at <= clock_timestamp();
  if not found then return 'busy'; end if;
  select count(*), coalesce(sum(size), 0) into documents_, kept from kyc_documents where merchant_id = merchant;
  if documents_ < max_documents and kept + bytes_ <= max_bytes then return 'done'; end if;
  delete from kyc_uploads where merchant_id = merchant;
  return case when documents_ >= max_documents then 'documents' else 'bytes' end;
end $$;

-- Ends the uploads of these merchants, with the parts that belong to no document.
create or replace function end_kyc_uploads(merchants_ text[]) returns void language sql as $$
  delete from kyc_uploads where merchant_id = any(merchants_);
  delete from kyc_document_parts p where merchant_id = any(merchants_)
     and not exists (select 1 from kyc_documents d where d.id = p.document_id);
$$;

-- An administrator's decision:
--   PENDING → APPROVED or REJECTED     APPROVED → SUSPENDED     SUSPENDED → APPROVED
-- A suspension disables LIVE; an approval does not enable it again. Returns 'done', 'missing', or the present
-- status if it does not allow the decision.
create or replace function decide_verification(merchant text, to_ text, reason_ text, field_reasons_ text)
returns text language plpgsql as $$
declare
  from_ text;
begin
  select verification_status into from_ from merchants where id = merchant for update;
  if not found then return 'missing'; end if;
  if not (from_ = 'PENDING' and to_ in ('APPROVED', 'REJECTED')
       or from_ = 'APPROVED' and to_ = 'SUSPENDED'
       or from_ = 'SUSPENDED' and to_ = 'APPROVED') then
    return from_;
  end if;
  if from_ = 'PENDING' then
    update kyc_submissions
       set status = to_, decided_at = now(), reason = reason_, field_reasons = field_reasons_
     where merchant_id = merchant and status = 'PENDING';
  end if;
  update merchants set verification_status = to_, live_enabled = live_enabled and to_ = 'APPROVED'
   where id = merchant;
  if to_ <> 'SUSPENDED' then
    perform write_notice('kyc_decided', merchant, merchant || ' ' || clock_timestamp(),
                         json_build_object('status', to_));
  end if;
  return 'done';
end $$;

-- Returns 'done', 'missing', or the present status if it does not allow LIVE.
create or replace function set_live(merchant text, is_enabled boolean) returns text language plpgsql as $$
declare
  status_ text;
begin
  select verification_status into status_ from merchants where id = merchant for update;
  if not found then return 'missing'; end if;
  if is_enabled and status_ <> 'APPROVED' then return status_; end if;
  update merchants set live_enabled = is_enabled where id = merchant;
  return 'done';
end $$;

-- The condition of the LIVE gate on the merchant (actors/core/rails/live-gate.ts): whether it takes payments in an environment.
create or replace function takes_payments(merchant text, environment_ text) returns boolean
language sql stable as $$
  select environment_ = 'TEST' or exists (
    select from merchants m
     where m.id = merchant and m.verification_status = 'APPROVED' and m.live_enabled
       and not exists (select from switches s where s.name = 'merchant:' || m.id and not s.is_on))
$$;
