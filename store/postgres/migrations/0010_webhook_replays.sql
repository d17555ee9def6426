-- Replays: a stored job brings back dead letters, and failed deliveries that wait for their next attempt. It has
-- a part for each endpoint, and each part goes at the pace of its endpoint: it makes the next ones due only as
-- those before have been attempted. What it did stands in the rows that it changed, so it may die at any time.

create table webhook_replays (
  id           text collate "C" primary key,
  -- null: of all merchants, by an operator
  merchant_id  text collate "C" references merchants,
  type         text collate "C",
  reason       text collate "C",
  from_at      timestamptz not null,
  until_at     timestamptz not null,
  with_pending boolean not null,
  created_at   timestamptz not null default now(),
  completed_at timestamptz
);
create unique index webhook_replays_running on webhook_replays (coalesce(merchant_id, ''))
  where completed_at is null;
create index webhook_replays_by_time on webhook_replays (created_at);

-- done: made due again; failed: not, since the endpoint was switched off or deleted. reached_at: everything
-- that failed before has been looked at.
create table webhook_replay_parts (
  replay_id    text collate "C" not null references webhook_replays on delete cascade,
  endpoint_id  text collate "C" not null references webhook_endpoints on delete cascade,
  total        integer not null,
  done         integer not null default 0,
  failed       integer not null default 0,
  reached_at   timestamptz not null,
  touched_at   timestamptz not null default now(),
  completed_at timestamptz,
  primary key (replay_id, endpoint_id)
);
create index webhook_replay_parts_open on webhook_replay_parts (touched_at) where completed_at is null;

-- The latest job that brought it back.
alter table webhook_deliveries add column replay_id text collate "C";
-- Those that a job made due and that were not attempted since.
create index webhook_deliveries_replayed on webhook_deliveries (replay_id, endpoint_id)
  where status = 'pending' and step = 0 and replay_id is not null;
create index webhook_deliveries_retrying on webhook_deliveries (endpoint_id, next_attempt_at)
  where status = 'pending' and step > 0;
create index webhook_deliveries_dead_of on webhook_deliveries (endpoint_id, settled_at, id)
  where status = 'dead';

-- What failed at an endpoint from one time to another: dead letters, and if wanted what waits for a retry.
create function failed_webhooks(endpoint text, type_ text, reason_ text, from_ timestamptz,
                                until_ timestamptz, with_pending boolean)
returns table (id text, at timestamptz) language sql stable as $$
  select d.id, d.settled_at from webhook_deliveries d
   where d.endpoint_id = endpoint and d.status = 'dead' and d.settled_at >= from_ and d.settled_at <= until_
     and (type_ is null or d.type = type_) and (reason_ is null or d.reason = reason_)
  union all
  select d.id, a.at from webhook_deliveries d
    join webhook_attempts a on a.delivery_id = d.id and a.attempt = d.attempts
   where with_pending and d.endpoint_id = endpoint and d.status = 'pending' and d.step > 0
     and d.next_attempt_at > now() and a.at >= from_ and a.at <= until_
     and (type_ is null or d.type = type_) and (reason_ is null or d.reason = reason_)
$$;

-- Makes the next deliveries of a part due, as long as fewer than `most` of it wait for their attempt. How many;
-- null: the part is complete, or in another's hands.
create function step_webhook_replay(replay text, endpoint text, most integer) returns integer
language plpgsql as $$
declare
  part record;
  room integer;
  found_ integer;
  moved_ integer := 0;
  last_at timestamptz;
begin
  select p.reached_at, r.type, r.reason, r.from_at, r.until_at, r.with_pending, w.active into part
    from webhook_replay_parts p
    join webhook_replays r on r.id = p.replay_id
    join webhook_endpoints w on w.id = p.endpoint_id
   where p.replay_id = replay and p.endpoint_id = endpoint and p.completed_at is null
     for update of p skip locked;
  if not found then return null; end if;
  room := most - (select count(*) from webhook_deliveries
                   where replay_id = replay and endpoint_id = endpoint and status = 'pending' and step = 0);
  if part.active and room > 0 then
    with page as materialized (
      select f.id, f.at
        from failed_webhooks(endpoint, part.type, part.reason, part.reached_at, part.until_at,
                             part.with_pending) f
        join webhook_deliveries d on d.id = f.id and d.replay_id is distinct from replay
       order by f.at, f.id limit room),
    moved as (
      update webhook_deliveries d
         set status = 'pending', step = 0, settled_at = null, next_attempt_at = now(), replay_id = replay
        from page
       where d.id = page.id and (d.status = 'dead' or (d.status = 'pending' and d.step > 0))
         and d.replay_id is distinct from replay
      returning d.id)
    select (select count(*) from page), (select max(at) from page), (select count(*) from moved)
      into found_, last_at, moved_;
  end if;
  update webhook_replay_parts p
     set done = p.done + moved_,
         failed = case when part.active then p.failed else greatest(0, p.total - p.done) end,
         reached_at = coalesce(last_at, p.reached_at), touched_at = clock_timestamp(),
         completed_at = case when not part.active or found_ < room then now() end
   where p.replay_id = replay and p.endpoint_id = endpoint;
  return moved_;
end $$;
