-- The control's own schema: what an ordinary service keeps for a payment, and its outbox.
create table api_keys (
  digest      bytea primary key,
  merchant_id text not null,
  environment text not null
);

create table payments (
  id              text primary key,
  merchant_id     text not null,
  environment     text not null,
  idempotency_key text not null,
  fingerprint     bytea not null,
  order_id        uuid not null,
  status          text not null,
  amount          bigint not null check (amount > 0),
  currency        text not null,
  description     text,
  reference_id    text,
  payment_method  text,
  customer_name   text,
  customer_email  text,
  customer_phone  text,
  success_url     text,
  cancel_url      text,
  metadata        text not null,
  created_at      timestamptz not null,
  expires_at      timestamptz not null,
  unique (merchant_id, environment, idempotency_key)
);

create table outbox (
  id         bigint generated always as identity primary key,
  payment_id text not null,
  type       text not null,
  body       text not null,
  created_at timestamptz not null
);
