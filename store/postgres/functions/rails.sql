-- Failovers of Postgres, as far as calls to rails are concerned.

-- The timeline of this server: each promotion of a standby begins another one. null: the server does not tell.
create or replace function read_timeline() returns integer language plpgsql as $$
begin
  return ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer;
exception
  when insufficient_privilege or undefined_function or feature_not_supported then return null;
end
$$;

-- Notes the timeline of this server when it is another one than before. Returns the moment of that: calls that were wanted
-- before may have been made, since a failover may have lost their claims. Without a failover it is -infinity.
create or replace function note_timeline() returns timestamptz language plpgsql as $$
declare
  timeline_ integer := read_timeline();
  newest    postgres_timelines;
begin
  select * into newest from postgres_timelines order by id desc limit 1;
  if timeline_ <> coalesce(newest.timeline, 0) then
    insert into postgres_timelines (timeline) values (timeline_) returning * into newest;
  end if;
  if exists (select from postgres_timelines where timeline <> newest.timeline) then
    return newest.first_seen_at;
  end if;
  return '-infinity';
end
$$;
