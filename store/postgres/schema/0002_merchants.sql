-- Merchants, their API keys and their verification (KYC).

-- Statuses of a verification: UNVERIFIED → PENDING → APPROVED or REJECTED; REJECTED → PENDING;
-- APPROVED ⇄ SUSPENDED. The functions submit_kyc and decide_verification check the transitions.
create table merchants (
  id                  text collate "C" primary key,
  business_name       text not null,
  verification_status text collate "C" not null default 'UNVERIFIED'
    check (verification_status in ('UNVERIFIED', 'PENDING', 'APPROVED', 'REJECTED', 'SUSPENDED')),
  live_enabled        boolean not null default false,
  created_at          timestamptz not null default now()
);
create trigger merchants_audit after insert or update or delete on merchants for each row
  execute function audit_change('id', 'business_name', 'verification_status', 'live_enabled');

create table api_keys (
  id                text collate "C" primary key,
  merchant_id       text collate "C" not null references merchants,
  environment       text collate "C" not null check (environment in ('TEST', 'LIVE')),
  name              text,
  prefix            text collate "C" not null,
  last_four         text collate "C" not null,
  -- SHA-256 of the key, which is not stored
  digest            bytea not null unique,
  -- empty: read and write. A key may make payouts only if `payouts` is listed.
  scopes            text[] not null default '{}',
  allowed_addresses text[] not null default '{}',
  created_at        timestamptz not null default date_trunc('milliseconds', now()),
  last_used_at      timestamptz,
  -- may lie in the future: a rolled key works until then
  revoked_at        timestamptz
);
create index api_keys_by_merchant on api_keys (merchant_id, created_at, id);
create trigger api_keys_audit
  after insert or delete
     or update of id, merchant_id, environment, prefix, last_four, digest, scopes, allowed_addresses, revoked_at
  on api_keys for each row
  execute function audit_change('id', 'merchant_id', 'environment', 'prefix', 'last_four', '#digest', 'scopes',
                                'allowed_addresses', 'revoked_at');

-- `fields` and the documents are ciphertexts. Only a merchant's newest submission counts.
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
  for each row execute function audit_change('id', 'merchant_id', '#fields', 'document_ids', 'submitted_by',
                                             'status', 'reason', 'field_reasons');

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
-- Not compressed: it is a ciphertext.
alter table kyc_documents alter column content set storage external;
-- The upload of a merchant that is under way. Its process may die, so that the reservation expires.
create table kyc_uploads (
  merchant_id text collate "C" primary key references merchants,
  request_id  text collate "C" not null,
  expires_at  timestamptz not null
);
create index kyc_documents_by_merchant on kyc_documents (merchant_id, created_at, id);
