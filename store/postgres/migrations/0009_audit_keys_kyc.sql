-- What administrators and merchants change, written down by the database itself; more of API keys; KYC; switches.

alter table api_keys add column name text, add column last_used_at timestamptz;
create index api_keys_by_merchant on api_keys (merchant_id, created_at, id);

-- Append only. actor: the id of a user; of a change that was made past the service, the database's own user.
-- before and after: the fields that are watched, as JSON; no secret and no digest is among them.
create table audit_log (
  id      bigint generated always as identity primary key,
  at      timestamptz not null default clock_timestamp(),
  actor   text collate "C" not null,
  address text collate "C",
  action  text collate "C" not null,
  target  text collate "C" not null,
  before  text,
  after   text
);
create index audit_log_by_target on audit_log (target, id);
create index audit_log_by_actor on audit_log (actor, id);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is append-only';
end $$;
create trigger audit_log_is_kept before update or delete on audit_log
  for each row execute function refuse_change();
create trigger audit_log_is_not_emptied before truncate on audit_log
  for each statement execute function refuse_change();

-- Who acts, for the rest of the transaction: a statement that changes what is watched names it.
create function act_as(actor text, address text) returns boolean language sql volatile as $$
  select set_config('kasir.actor', actor, true) is not null
     and set_config('kasir.address', address, true) is not null
$$;

-- Arguments: the column that names the row, then the columns that are watched.
create function audit_change() returns trigger language plpgsql as $$
declare
  old_row jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
  new_row jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
  before_ jsonb;
  after_ jsonb;
begin
  select jsonb_object_agg(name, old_row -> name) filter (where old_row is not null),
         jsonb_object_agg(name, new_row -> name) filter (where new_row is not null)
    into before_, after_
    from unnest(tg_argv[1:]) as name
   where old_row -> name is distinct from new_row -> name;
  if before_ is null and after_ is null then return null; end if;
  insert into audit_log (actor, address, action, target, before, after)
  values (coalesce(nullif(current_setting('kasir.actor', true), ''), 'database:' || session_user),
          nullif(current_setting('kasir.address', true), ''),
          tg_table_name || '.' || lower(tg_op), coalesce(new_row, old_row) ->> tg_argv[0],
          before_::text, after_::text);
  return null;
end $$;

create trigger merchants_audit after update or delete on merchants for each row
  execute function audit_change('id', 'business_name', 'verification_status', 'live_enabled');
create trigger users_audit after insert or update or delete on users for each row
  execute function audit_change('id', 'email', 'merchant_id', 'role', 'verified_at',
                                'totp_confirmed_at');
create trigger api_keys_audit
  after insert or delete or update of scopes, allowed_addresses, revoked_at on api_keys for each row
  execute function audit_change('id', 'merchant_id', 'environment', 'scopes', 'allowed_addresses',
                                'revoked_at');

-- Off: what it names is not taken. What has no row is on.
--   live_creates, payouts, rail:<name>, method:<id>, merchant:<id>
create table switches (
  name       text collate "C" primary key,
  is_on      boolean not null,
  changed_at timestamptz not null default now()
);
create trigger switches_audit after insert or update or delete on switches for each row
  execute function audit_change('name', 'is_on');

-- Fields and documents are ciphertexts. The newest submission of a merchant is the one that counts.
create table kyc_submissions (
  id            text collate "C" primary key,
  merchant_id   text collate "C" not null references merchants,
  fields        text collate "C" not null,
  document_ids  text[] not null,
  submitted_by  text collate "C" not null,
  submitted_at  timestamptz not null default now(),
  status        text collate "C" not null default 'PENDING'
    check (status in ('PENDING', 'APPROVED', 'REJECTED')),
  decided_at    timestamptz,
  reason        text,
  field_reasons text
);
create index kyc_submissions_by_merchant on kyc_submissions (merchant_id, submitted_at, id);
create trigger kyc_submissions_audit after insert or update or delete on kyc_submissions
  for each row execute function audit_change('id', 'merchant_id', 'status', 'reason', 'field_reasons');

create table kyc_documents (
  id          text collate "C" primary key,
  merchant_id text collate "C" not null references merchants,
  purpose     text collate "C" not null,
  filename    text not null,
  media_type  text collate "C" not null,
  size        integer not null,
  content     bytea not null,
  created_at  timestamptz not null default now()
);
alter table kyc_documents alter column content set storage external;
create index kyc_documents_by_merchant on kyc_documents (merchant_id, created_at, id);

-- 'done', 'documents' (one is not the merchant's), or the status that does not allow it.
create function submit_kyc(merchant text, id_ text, fields_ text, documents text[], by_ text)
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

-- What an administrator decides of a merchant:
--   PENDING ──▶ APPROVED, REJECTED      APPROVED ──▶ SUSPENDED      SUSPENDED ──▶ APPROVED
-- LIVE ends with a suspension, and is enabled again by itself only. 'done', 'missing', or the status that does
-- not allow it.
create function decide_verification(merchant text, to_ text, reason_ text, field_reasons_ text)
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
  return 'done';
end $$;

-- 'done', 'missing', or the status that does not allow it.
create function set_live(merchant text, is_enabled boolean) returns text language plpgsql as $$
declare
  status_ text;
begin
  select verification_status into status_ from merchants where id = merchant for update;
  if not found then return 'missing'; end if;
  if is_enabled and status_ <> 'APPROVED' then return status_; end if;
  update merchants set live_enabled = is_enabled where id = merchant;
  return 'done';
end $$;
