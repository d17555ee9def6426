-- The daily partitions of api_logs.

-- Makes the partitions of `today`, of the day before and of the `ahead` following days, and drops those older than `kept` days.
-- Days are in UTC.
--
-- Only an owner may do that, and the processes own nothing (ops/deploy/postgres-roles.sql). So it runs with the rights of its
-- owner, and its arguments are limited: no caller empties the log or fills the disk with partitions.
create or replace function keep_api_log_days(
  kept integer, ahead integer, today date default (now() at time zone 'UTC')::date
) returns void language plpgsql security definer as $$
declare
  clock constant date := (now() at time zone 'UTC')::date;
  day date;
  old text;
begin
  if (kept between 30 and 3650 and ahead between 0 and 30 and today between clock - 1 and clock + 7) is not true then
    raise exception 'keep_api_log_days(%, %, %) is refused: kept must be 30 to 3650 days, ahead 0 to 30 days, today % to %',
      kept, ahead, today, clock - 1, clock + 7 using errcode = 'invalid_parameter_value';
  end if;
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

-- A caller's search path, and a caller's temporary tables, must not change what the names mean.
do $$
begin
  execute format('alter function keep_api_log_days(integer, integer, date) set search_path = %I, pg_temp', current_schema());
end
$$;
revoke execute on function keep_api_log_days(integer, integer, date) from public;

-- A migrated database takes logs at once; from then on the webhooks process keeps the days.
select keep_api_log_days(30, 3, (now() at time zone 'UTC')::date);
