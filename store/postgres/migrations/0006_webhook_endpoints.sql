-- Endpoints as merchants keep them, and test events.

-- A deleted endpoint is never active and holds no secret; its row stays as long as its deliveries do.
alter table webhook_endpoints add column deleted_at timestamptz;
alter table webhook_endpoints add constraint deleted_is_inactive check (deleted_at is null or not active);

-- The bytes of a test event, which no payment has caused; null: they are the envelope of the payment's event.
alter table webhook_deliveries add column body text;

-- Changes of a merchant's endpoints happen one at a time. (No foreign key waits for this lock.)
create function lock_webhook_endpoints(merchant text) returns void language plpgsql as $$
begin
  perform from merchants where id = merchant for no key update;
end $$;

create function has_active_webhook_endpoint(merchant text, environment_ text, but text) returns boolean
language sql stable as $$
  select exists (select from webhook_endpoints
                  where merchant_id = merchant and environment = environment_ and active and id <> but)
$$;

-- 'created'; 'active_exists' unless many are allowed; 'too_many' beyond `most` of the environment.
create function create_webhook_endpoint(id_ text, merchant text, environment_ text, url_ text, events_ text[],
                                        secret_ text, allows_many boolean, most integer) returns text
language plpgsql as $$
begin
  perform lock_webhook_endpoints(merchant);
  if not allows_many and has_active_webhook_endpoint(merchant, environment_, '') then
    return 'active_exists';
  end if;
  if (select count(*) from webhook_endpoints
       where merchant_id = merchant and environment = environment_ and deleted_at is null) >= most then
    return 'too_many';
  end if;
  insert into webhook_endpoints (id, merchant_id, environment, url, events, secret)
  values (id_, merchant, environment_, url_, events_, secret_);
  return 'created';
end $$;

-- Null leaves a field as it is. 'changed'; 'missing'; 'active_exists': it cannot be switched on beside another.
create function change_webhook_endpoint(id_ text, merchant text, url_ text, events_ text[], active_ boolean,
                                        allows_many boolean) returns text
language plpgsql as $$
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
  return 'changed';
end $$;
