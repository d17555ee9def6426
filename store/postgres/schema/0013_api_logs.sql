-- Requests with a secret key and their answers, masked, for 30 days. Each day is a partition, so that
-- forgetting a day drops a table; keep_api_log_days makes and drops them. No other table refers to a row.
create table api_logs (
  at              timestamptz not null,
  request_id      text collate "C" not null,
  merchant_id     text collate "C" not null,
  environment     text collate "C" not null,
  key_id          text collate "C" not null,
  method          text collate "C" not null,
  path            text not null,
  query           text,
  status          smallint not null,
  code            text collate "C",
  duration_ms     integer not null,
  idempotency_key text,
  -- the payment or payout that the request was about: erasures find the row by it
  payment_id      text collate "C",
  request_body    text,
  response_body   text,
  primary key (request_id, at)
) partition by range (at);
create index api_logs_by_merchant on api_logs (merchant_id, at, request_id);
create index api_logs_by_payment on api_logs (payment_id) where payment_id is not null;
