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

-- Append only, and chained: the transaction that writes a row links it to the one before it when it commits
-- (link_audit_rows). `actor` is the id of a user, or `database:<user>` for a change that bypassed the service.
-- `before` and `after` hold the audited columns that changed, as JSON. Of secrets and digests they hold only that they
-- changed.
--
-- The link covers a salted digest of the personal fields (address, personal) instead of their text, so that they can
-- be erased with their salt while the chain stays provable. `kasir audit verify` computes everything again.
create table audit_log (
  id              bigint generated always as identity primary key,
  at              timestamptz not null default clock_timestamp(),
  -- a merchant's id; empty for what belongs to no merchant
  chain           text collate "C" not null default '',
  actor           text collate "C" not null,
  address         text collate "C",
  action          text collate "C" not null,
  target          text collate "C" not null,
  before          text,
  after           text,
  -- JSON of {before, after}: the personal columns that changed
  personal        text,
  -- null: the personal fields were erased
  salt            bytea,
  personal_digest bytea not null,
  transaction     xid8 not null,
  -- the place in the chain, and the SHA-256 over the row and the hash before it; set when the transaction commits
  day             date,
  number          bigint,
  hash            bytea,
  check (num_nulls(day, number, hash) in (0, 3))
);
create index audit_log_by_target on audit_log (target, id);
create index audit_log_by_actor on audit_log (actor, id);
create unique index audit_log_by_place on audit_log (chain, number) where number is not null;
create index audit_log_unlinked on audit_log (transaction) where number is null;

-- The last row of each chain and day: shows that the newest rows of a day were deleted.
create table audit_heads (
  chain  text collate "C" not null,
  day    date not null,
  number bigint not null,
  hash   bytea not null,
  primary key (chain, day)
) with (fillfactor = 50);

create function refuse_change() returns trigger language plpgsql
  as $$ begin raise exception 'declared only'; end $$;
create function keep_audit_row() returns trigger language plpgsql
  as $$ begin raise exception 'declared only'; end $$;
create function digest_audit_row() returns trigger language plpgsql
  as $$ begin raise exception 'declared only'; end $$;
create function link_audit_rows() returns trigger language plpgsql
  as $$ begin raise exception 'declared only'; end $$;
create function audit_change() returns trigger language plpgsql
  as $$ begin raise exception 'declared only'; end $$;

create trigger audit_log_is_digested before insert on audit_log
  for each row execute function digest_audit_row();
create constraint trigger audit_log_is_linked after insert on audit_log deferrable initially deferred
  for each row execute function link_audit_rows();
create trigger audit_log_is_kept before update on audit_log
  for each row execute function keep_audit_row();
create trigger audit_log_is_not_deleted before delete on audit_log
  for each row execute function refuse_change();
create trigger audit_log_is_not_emptied before truncate on audit_log
  for each statement execute function refuse_change();
create trigger audit_heads_are_kept before delete on audit_heads
  for each row execute function refuse_change();
create trigger audit_heads_are_not_emptied before truncate on audit_heads
  for each statement execute function refuse_change();

create trigger installation_audit after insert or update or delete on installation for each row
  execute function audit_change('only_row', 'partitions', '#id_key_fingerprint');

-- A switch that is off refuses the thing that it names; a name without a row is on.
-- Names: live_creates, payouts, rail:<name>, method:<id>, merchant:<id>.
create table switches (
  name       text collate "C" primary key,
  is_on      boolean not null,
  changed_at timestamptz not null default now()
);
create trigger switches_audit after insert or update or delete on switches for each row
  execute function audit_change('name', 'is_on');
