-- The daily partitions of api_logs.

-- Makes the partitions of today and of the `ahead` following days, and drops those older than `kept` days. Days
-- are in UTC.
create or replace function keep_api_log_days(kept integer, ahead integer) returns void language plpgsql as $$
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

-- A migrated database takes logs at once; from then on the webhooks process keeps the days.
select keep_api_log_days(30, 3);
