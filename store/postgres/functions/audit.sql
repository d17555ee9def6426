-- The audit log: the database itself records what administrators and merchants change.

-- Trigger function: keeps the audit log append-only.
create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is append-only';
end $$;

-- Names the actor for the rest of the transaction. A statement that changes an audited table calls it.
create or replace function act_as(actor text, address text) returns boolean language sql volatile as $$
  select set_config('kasir.actor', actor, true) is not null
     and set_config('kasir.address', address, true) is not null
$$;

-- Trigger function: records the audited columns that changed. Its arguments are the column that names the
-- row in the log, then the audited columns.
create or replace function audit_change() returns trigger language plpgsql as $$
declare
  old_row jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
  new_row jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
  before_ jsonb;
  after_ jsonb;
begin
  select jsonb_object_agg(name, old_row -> name) filter (where old_row is not null),
         jsonb_object_agg(name, new_row -> name) filter (where new_row is not null)
    into before_, after_
    from unnest(tg_argv[1:]) as name
   where old_row -> name is distinct from new_row -> name;
  if before_ is null and after_ is null then return null; end if;
  insert into audit_log (actor, address, action, target, before, after)
  values (coalesce(nullif(current_setting('kasir.actor', true), ''), 'database:' || session_user),
          nullif(current_setting('kasir.address', true), ''),
          tg_table_name || '.' || lower(tg_op), coalesce(new_row, old_row) ->> tg_argv[0],
          before_::text, after_::text);
  return null;
end $$;
