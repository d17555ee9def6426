-- Merchants, their API keys and their verification (KYC).

-- Statuses of a verification: UNVERIFIED → PENDING → APPROVED or REJECTED; REJECTED → PENDING;
-- APPROVED ⇄ SUSPENDED. The functions submit_kyc and decide_verification check the transitions.
create table merchants (
  id                  text collate "C" primary key,
  business_name       text not null,
  verification_status text collate "C" not null default 'UNVERIFIED'
    check (verification_status in ('UNVERIFIED', 'PENDING', 'APPROVED', 'REJECTED', 'SUSPENDED')),
  live_enabled        boolean not null default false,
  -- How the merchant appears to its customers: the name (null: the business name), a colour such as #0b5cad, and where
  -- to ask for help.
  display_name        text,
  brand_colour        text collate "C" check (brand_colour ~ '^#[0-9a-f]{6}$'),
  support_email       text,
  support_phone       text,
  support_url         text,
  -- the facts that its users hear of by mail (functions/notices.sql)
  notices             text[] not null default '{endpoint_disabled,endpoint_failing,kyc_decided,payout_failed}'
    check (notices <@ '{endpoint_disabled,endpoint_failing,kyc_decided,payment_received,payout_failed}'),
  -- whether customers get a receipt by mail, and its language unless their invoice has another one
  sends_receipts      boolean not null default false,
  receipt_language    text collate "C" not null default 'id' check (receipt_language in ('id', 'en')),
  created_at          timestamptz not null default now()
);
create trigger merchants_audit after insert or update or delete on merchants for each row
  execute function audit_change('id', 'business_name', 'verification_status', 'live_enabled', 'display_name',
                                'brand_colour', '~support_email', '~support_phone', 'support_url', 'notices', 'sends_receipts');

-- The logo of a merchant. Its id is the path of the picture, so that each upload has a new one, which caches may keep.
create table merchant_logos (
  merchant_id text collate "C" primary key references merchants,
  id          text collate "C" not null unique,
  media_type  text collate "C" not null check (media_type in ('image/png', 'image/jpeg')),
  content     bytea not null,
  created_at  timestamptz not null default now()
);
-- Not compressed: PNG and JPEG are.
alter table merchant_logos alter column content set storage external;
create trigger merchant_logos_audit after insert or update or delete on merchant_logos for each row
  execute function audit_change('id', 'merchant_id', 'id', '#content');

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
