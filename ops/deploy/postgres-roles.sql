-- The roles of an installation, the owner of its database, and the rights that later migrations give. A superuser runs it in
-- the database of the installation, before the first `kasir migrate`, or once for an installation that has run before. It may be
-- repeated, and it sets no passwords. docs/operations/roles.md has the order of the steps.
--
--   kasir_migration   owns the database and all that is in it: kasir migrate
--   kasir_process     owns nothing: the processes, and commands that change something
--   kasir_reading     reads, without credentials: kasir ledger verify, kasir audit verify
do $$
declare
  role_ text;
begin
  foreach role_ in array array['kasir_migration', 'kasir_process', 'kasir_reading'] loop
    if not exists (select from pg_roles where rolname = role_) then
      execute format('create role %I login', role_);
    end if;
  end loop;
end $$;

-- PgBouncer gives sessions the settings of their role: those with which each session of a process begins (store/postgres/client.ts).
alter role kasir_process set statement_timeout = '4s';
alter role kasir_process set plan_cache_mode = 'force_generic_plan';
alter role kasir_reading set default_transaction_read_only = on;

-- The owner of the database owns the schema through pg_database_owner. No other role may create anything, temporary tables too: a
-- function that runs with the rights of its owner must find no object of its caller.
do $$
begin
  execute format('alter database %I owner to kasir_migration', current_database());
  execute format('revoke all on database %I from public', current_database());
  execute format('grant connect on database %I to kasir_process, kasir_reading', current_database());
end $$;
alter schema public owner to pg_database_owner;
revoke create on schema public from public;
grant usage on schema public to public;

-- An installation that has run before has an owner already. Sequences of identity columns follow their tables.
do $$
declare
  statement text;
begin
  for statement in
    select format('alter table %s owner to kasir_migration', c.oid::regclass)
      from pg_class c
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v')
       and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid and deptype = 'e')
    union all
    select format('alter routine %s owner to kasir_migration', p.oid::regprocedure)
      from pg_proc p
     where pronamespace = 'public'::regnamespace
       and not exists (select from pg_depend where classid = 'pg_proc'::regclass and objid = p.oid and deptype = 'e')
  loop
    execute statement;
  end loop;
end $$;

-- Of tables and functions that later migrations create. postgres-rights.sql then takes back what the processes do not need.
alter default privileges for role kasir_migration in schema public
  grant select, insert, update, delete on tables to kasir_process;
alter default privileges for role kasir_migration in schema public grant execute on functions to kasir_process;
alter default privileges for role kasir_migration in schema public grant select on tables to kasir_reading;
