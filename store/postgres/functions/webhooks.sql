-- Webhook endpoints, envelopes and replays.

-- Changes of a merchant's endpoints run one at a time. Foreign keys do not wait for this lock.
create or replace function lock_webhook_endpoints(merchant text) returns void language plpgsql as $$
begin
  perform from merchants where id = merchant for no key update;
end $$;

create or replace function has_active_webhook_endpoint(merchant text, environment_ text, but text) returns boolean
language sql stable as $$
  select exists (select from webhook_endpoints
                  where merchant_id = merchant and environment = environment_ and active and id <> but)
$$;

-- Returns 'active_exists', unless `allows_many`; 'too_many' at `most` in the environment; else null.
create or replace function find_webhook_endpoint_rejection(
  merchant text, environment_ text, allows_many boolean, most integer
) returns text language sql stable as $$
  select case
    when not allows_many and has_active_webhook_endpoint(merchant, environment_, '') then 'active_exists'
    when (select count(*) from webhook_endpoints
           where merchant_id = merchant and environment = environment_ and deleted_at is null) >= most
      then 'too_many'
  end
$$;

-- Returns 'created', or why not.
create or replace function create_webhook_endpoint(
  id_ text, merchant text, environment_ text, url_ text, events_ text[], secret_ text,
  allows_many boolean, most integer
) returns text language plpgsql as $$
declare
  rejection text;
begin
  perform lock_webhook_endpoints(merchant);
  rejection := find_webhook_endpoint_rejection(merchant, environment_, allows_many, most);
  if rejection is not null then return rejection; end if;
  insert into webhook_endpoints (id, merchant_id, environment, url, events, secret)
  values (id_, merchant, environment_, url_, events_, secret_);
  return 'created';
end $$;

-- A null leaves its field unchanged. Returns 'changed'; 'missing'; 'active_exists' if another endpoint is active
-- and not `allows_many`.
create or replace function change_webhook_endpoint(
  id_ text, merchant text, url_ text, events_ text[], active_ boolean, allows_many boolean
) returns text language plpgsql as $$
declare
  endpoint webhook_endpoints;
begin
  perform lock_webhook_endpoints(merchant);
  select * into endpoint from webhook_endpoints
   where id = id_ and merchant_id = merchant and deleted_at is null for update;
  if not found then return 'missing'; end if;
  if active_ and not endpoint.active and not allows_many
     and has_active_webhook_endpoint(merchant, endpoint.environment, id_) then
    return 'active_exists';
  end if;
  update webhook_endpoints
     set url = coalesce(url_, url), events = coalesce(events_, events), active = coalesce(active_, active)
   where id = id_;
  -- An endpoint that is switched off or on starts from zero.
  if active_ <> endpoint.active then
    delete from webhook_endpoint_failures where endpoint_id = id_;
  end if;
  return 'changed';
end $$;

-- Switches off the other endpoints of the environment that are active, since `but` replaces them. Their failures end.
create or replace function replace_webhook_endpoints(merchant text, environment_ text, but text) returns void
language plpgsql as $$
begin
  delete from webhook_endpoint_failures f using webhook_endpoints w
   where f.endpoint_id = w.id and w.merchant_id = merchant and w.environment = environment_ and w.active and w.id <> but;
  update webhook_endpoints set active = false
   where merchant_id = merchant and environment = environment_ and active and id <> but;
end $$;

-- Deletes an endpoint of a merchant, or all (`endpoint` null), and their secrets. Deliveries that are pending or held die. Returns
-- the ids.
create or replace function delete_endpoints(merchant text, endpoint text) returns setof text language sql as $$
  delete from webhook_endpoint_failures f using webhook_endpoints w
   where f.endpoint_id = w.id and w.merchant_id = merchant and (endpoint is null or w.id = endpoint);
  update webhook_endpoints
     set active = false, deleted_at = now(), secret = '', next_secret = null, switch_at = null, holds_until = null
   where merchant_id = merchant and (endpoint is null or id = endpoint) and deleted_at is null
  returning id
$$;

-- Switched off with `hold`, the endpoint keeps the deliveries that wait for `hold`; else, or switched on, it does not.
create or replace function hold_webhook_deliveries(id_ text, hold interval) returns void language sql as $$
  update webhook_endpoints set holds_until = now() + hold
   where id = id_ and (hold is not null or holds_until is not null)
$$;

-- The id and the type of an event, from its envelope, which begins with them. Nulls if the envelope is not JSON or
-- does not begin so. They are not read from parsed JSON: Postgres refuses to read any field of a text that holds
-- an escaped NUL or half a surrogate pair, and one such text would stop the events of all merchants. There is no
-- regular expression, since one cost 28 of the 123 µs of CPU of a delivery.
create or replace function read_envelope(envelope text, out event_id text, out name text)
language plpgsql immutable as $$
declare
  id   text := split_part(envelope, '"', 4);
  type text := split_part(envelope, '"', 8);
begin
  perform envelope::json;
  if starts_with(envelope, '{"id":"' || id || '","type":"' || type || '","created_at":"')
     and starts_with(id, 'evt_') and length(id) > 4
     and translate(substr(id, 5), '0123456789abcdefghijklmnopqrstuvwxyz', '') = ''
     and translate(type, 'abcdefghijklmnopqrstuvwxyz', '') = '.'
     and type not like '.%' and type not like '%.' then
    event_id := id;
    name := type;
  end if;
exception when data_exception or program_limit_exceeded then
  return;
end $$;

-- Trigger function: deletes the attempts of deleted deliveries.
create or replace function forget_attempts() returns trigger language plpgsql as $$
begin
  delete from webhook_attempts a using gone where a.delivery_id = gone.id;
  return null;
end $$;

-- The failures of an endpoint between two times: dead letters and, `with_pending`, deliveries that wait for
-- their next attempt.
create or replace function failed_webhooks(
  endpoint text, type_ text, reason_ text, from_ timestamptz, until_ timestamptz, with_pending boolean
) returns table (id text, at timestamptz) language sql stable as $$
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

-- Makes the next deliveries of a part due, until `most` of the part wait for their attempt. Returns how many;
-- null if the part is complete or locked by another process. The rest of the part fails if its endpoint is inactive, or is flagged
-- (it has failed for an hour) an hour after the replay began: it would get one probe in half a minute, and the
-- part would hold back every later replay of its merchant, or of all operators, for days.
create or replace function step_webhook_replay(replay text, endpoint text, most integer) returns integer
language plpgsql as $$
declare
  part record;
  room integer;
  found_ integer;
  moved_ integer := 0;
  last_at timestamptz;
begin
  select p.reached_at, r.type, r.reason, r.from_at, r.until_at, r.with_pending,
         w.active and not (f.flagged_at is not null and r.created_at < now() - interval '1 hour') as goes_on into part
    from webhook_replay_parts p
    join webhook_replays r on r.id = p.replay_id
    join webhook_endpoints w on w.id = p.endpoint_id
    left join webhook_endpoint_failures f on f.endpoint_id = w.id
   where p.replay_id = replay and p.endpoint_id = endpoint and p.completed_at is null
     for update of p skip locked;
  if not found then return null; end if;
  room := most - (select count(*) from webhook_deliveries
                   where replay_id = replay and endpoint_id = endpoint and status = 'pending' and step = 0);
  if part.goes_on and room > 0 then
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
         failed = case when part.goes_on then p.failed else greatest(0, p.total - p.done) end,
         reached_at = coalesce(last_at, p.reached_at), touched_at = clock_timestamp(),
         completed_at = case when not part.goes_on or found_ < room then now() end
   where p.replay_id = replay and p.endpoint_id = endpoint;
  return moved_;
end $$;
