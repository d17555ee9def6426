-- What a delivery costs: of 123 µs of CPU in Postgres, 28 were a regular expression and 14 a foreign key.

-- The same as before: id and type of an event, from its envelope, which begins with them; nulls when it is no JSON
-- or does not begin so.
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

-- Attempts go with their delivery. They are only made by the statement that moves it, so a key that is checked for
-- each of them tells nothing more.
alter table webhook_attempts drop constraint webhook_attempts_delivery_id_fkey;

create function forget_attempts() returns trigger language plpgsql as $$
begin
  delete from webhook_attempts a using gone where a.delivery_id = gone.id;
  return null;
end $$;
create trigger forget_attempts after delete on webhook_deliveries
  referencing old table as gone for each statement execute function forget_attempts();
