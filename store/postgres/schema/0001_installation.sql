-- The installation, its audit log and its switches.
--
-- Conventions of all files:
--   Text that is an id or a code has collate "C": it is compared by bytes and never sorted for people.
--   Amounts are bigint in minor units.
--   JSON is stored as text: it is written far more often than queried, and a row of text costs the
--   server 40 % less CPU than one of jsonb.
--   A trigger needs its function, and functions/ is applied after the tables. So a trigger function is
--   declared beside its first trigger, and `migrate` replaces its body within the same transaction.

create table installation (
  only_row           boolean primary key default true check (only_row),
  partitions         smallint not null check (partitions between 1 and 1024),
  id_key_fingerprint text collate "C" not null,
  installed_at       timestamptz not null default now()
);

-- Append only. `actor` is the id of a user, or `database:<user>` for a change that bypassed the service.
-- `before` and `after` hold the audited columns that changed, as JSON; secrets and digests are not audited.
create table audit_log (
  id      bigint generated always as identity primary key,
  at      timestamptz not null default clock_timestamp(),
  actor   text collate "C" not null,
  address text collate "C",
  action  text collate "C" not null,
  target  text collate "C" not null,
  before  text,
  after   text
);
create index audit_log_by_target on audit_log (target, id);
create index audit_log_by_actor on audit_log (actor, id);

create function refuse_change() returns trigger language plpgsql
  as $$ begin raise exception 'declared only'; end $$;
create function audit_change() returns trigger language plpgsql
  as $$ begin raise exception 'declared only'; end $$;

create trigger audit_log_is_kept before update or delete on audit_log
  for each row execute function refuse_change();
create trigger audit_log_is_not_emptied before truncate on audit_log
  for each statement execute function refuse_change();

-- A switch that is off refuses the thing that it names; a name without a row is on.
-- Names: live_creates, payouts, rail:<name>, method:<id>, merchant:<id>.
create table switches (
  name       text collate "C" primary key,
  is_on      boolean not null,
  changed_at timestamptz not null default now()
);
create trigger switches_audit after insert or update or delete on switches for each row
  execute function audit_change('name', 'is_on');
