-- Requests with a secret key and their answers, masked; for 30 days. A partition a day, so that forgetting
-- is dropping a table. Nothing refers to a row, and nothing waits for one.
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
  -- of the payment that it was about, where it was about one: to erase by
  payment_id      text collate "C",
  request_body    text,
  response_body   text,
  primary key (request_id, at)
) partition by range (at);
create index api_logs_by_merchant on api_logs (merchant_id, at, request_id);
create index api_logs_by_payment on api_logs (payment_id) where payment_id is not null;

-- Makes the partitions of the days to come and drops those that are too old; days are of UTC.
create function keep_api_log_days(kept integer, ahead integer) returns void language plpgsql as $$
declare
  today date := (now() at time zone 'UTC')::date;
  day date;
  old text;
begin
  perform pg_advisory_xact_lock(7271834);
  for day in select generate_series(today - 1, today + ahead, interval '1 day')::date loop
    if to_regclass('api_logs_' || to_char(day, 'YYYYMMDD')) is null then
      execute format('create table %I partition of api_logs for values from (%L) to (%L)',
                     'api_logs_' || to_char(day, 'YYYYMMDD'), day || ' 00:00+00', day + 1 || ' 00:00+00');
    end if;
  end loop;
  for old in select relname from pg_inherits join pg_class on pg_class.oid = inhrelid
              where inhparent = 'api_logs'::regclass
                and relname < 'api_logs_' || to_char(today - kept, 'YYYYMMDD') loop
    execute format('drop table %I', old);
  end loop;
end
$$;
select keep_api_log_days(30, 3);
