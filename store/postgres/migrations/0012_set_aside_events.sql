-- Events whose envelope is not one: the fan-out sets them aside, so that those behind them go on, and takes them
-- up again once somebody has mended the envelope.

create table webhook_events_set_aside (
  payment_id   text collate "C" not null,
  version      integer not null,
  set_aside_at timestamptz not null default now(),
  primary key (payment_id, version)
);

-- Id and type of an event, from its envelope, which begins with them; nulls when it is no JSON or does not.
-- They are not taken out of parsed JSON: the server refuses to read a field of a text that holds an escaped NUL
-- or half a surrogate pair anywhere, and one such text would be enough to stop everybody's events.
create function read_envelope(envelope text, out event_id text, out name text) language plpgsql immutable as $$
declare
  parts text[];
begin
  perform envelope::json;
  parts := regexp_match(envelope, '^\{"id":"(evt_[0-9a-z]+)","type":"([a-z]+\.[a-z]+)","created_at":"');
  event_id := parts[1];
  name := parts[2];
exception when data_exception or program_limit_exceeded then
  return;
end $$;
