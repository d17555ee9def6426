-- Endpoints of which every attempt has failed since a success, written by the statement that records attempts: a
-- success removes the row. Who fails for an hour is flagged, for five days is disabled, and its owner is told.
create table webhook_endpoint_failures (
  endpoint_id text collate "C" primary key references webhook_endpoints on delete cascade,
  since       timestamptz not null default now(),
  latest      timestamptz not null default now(),
  flagged_at  timestamptz
) with (fillfactor = 50);

-- What a merchant is told of its account; not sent to endpoints.
create table owner_events (
  id          text collate "C" primary key,
  merchant_id text collate "C" not null references merchants,
  environment text collate "C" not null check (environment in ('TEST', 'LIVE')),
  type        text collate "C" not null check (type in ('endpoint.disabled')),
  -- the endpoint
  subject_id  text collate "C" not null,
  at          timestamptz not null default now(),
  details     text not null
);
create index owner_events_by_merchant on owner_events (merchant_id, environment, at, id);
