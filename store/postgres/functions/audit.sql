-- The audit log: the database itself records what administrators and merchants change.

-- Trigger function: keeps the audit log append-only.
create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is append-only';
end $$;

-- Trigger function: an update may link a row, or erase its personal fields with their salt, and nothing else.
create or replace function keep_audit_row() returns trigger language plpgsql as $$
declare
  place constant text[] := '{day,number,hash}';
  erasable constant text[] := '{address,personal,salt}';
begin
  if old.number is null and to_jsonb(new) - place = to_jsonb(old) - place then return new; end if;
  if num_nonnulls(new.address, new.personal, new.salt) = 0
     and to_jsonb(new) - erasable = to_jsonb(old) - erasable then return new; end if;
  raise exception 'the audit log is append-only';
end $$;

-- Names the actor for the rest of the transaction. A statement that changes an audited table calls it.
create or replace function act_as(actor text, address text) returns boolean language sql volatile as $$
  select set_config('kasir.actor', actor, true) is not null
     and set_config('kasir.address', address, true) is not null
$$;

-- The actor of the transaction; without one the database's user, who is then at work by hand.
create or replace function find_actor() returns text language sql stable as $$
  select coalesce(nullif(current_setting('kasir.actor', true), ''), 'database:' || session_user)
$$;

-- Trigger function: records the audited columns that changed. Its arguments are the column that names the
-- row in the log, then the audited columns: `#name` is a secret, of which only the change is recorded, and `~name` is
-- personal and can be erased.
create or replace function audit_change() returns trigger language plpgsql as $$
declare
  old_row jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
  new_row jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
  row_ jsonb := coalesce(new_row, old_row);
  before_ jsonb;
  after_ jsonb;
  personal_before jsonb;
  personal_after jsonb;
begin
  select jsonb_object_agg(name, old_value) filter (where mark <> '~' and old_row is not null),
         jsonb_object_agg(name, new_value) filter (where mark <> '~' and new_row is not null),
         jsonb_object_agg(name, old_value) filter (where mark = '~' and old_row is not null),
         jsonb_object_agg(name, new_value) filter (where mark = '~' and new_row is not null)
    into before_, after_, personal_before, personal_after
    from (select ltrim(argument, '~#') as name, left(argument, 1) as mark
            from unnest(tg_argv[1:]) as argument) as columns
   cross join lateral (
     select show_audited(mark, old_row -> name) as old_value,
            show_audited(mark, new_row -> name) as new_value) as shown
   where old_row -> name is distinct from new_row -> name;
  if num_nonnulls(before_, after_, personal_before, personal_after) = 0 then return null; end if;
  insert into audit_log (chain, actor, address, action, target, before, after, personal)
  values (coalesce(case when tg_table_name = 'merchants' then row_ ->> 'id' end, row_ ->> 'merchant_id',
                   (select merchant_id from users where id = row_ ->> 'user_id'), ''),
          find_actor(), nullif(current_setting('kasir.address', true), ''),
          tg_table_name || '.' || lower(tg_op), row_ ->> tg_argv[0], before_::text, after_::text,
          case when num_nonnulls(personal_before, personal_after) > 0
               then jsonb_strip_nulls(jsonb_build_object('before', personal_before, 'after', personal_after))::text
          end);
  return null;
end $$;

-- A secret is shown as present or absent.
create or replace function show_audited(mark text, value jsonb) returns jsonb language sql immutable as $$
  select case when mark = '#' and value <> 'null' then '"[secret]"' else value end
$$;

-- One field of a text that is hashed: its bytes behind their number, so that two rows never give the same text.
create or replace function frame_audited(field text) returns text language sql immutable as $$
  select coalesce(octet_length(field) || ':' || field, '-')
$$;

-- Trigger function: gives a row its salt and the digest of its personal fields. A row cannot bring its own.
create or replace function digest_audit_row() returns trigger language plpgsql as $$
begin
  new.salt := uuid_send(gen_random_uuid());
  new.personal_digest :=
    sha256(new.salt || convert_to(frame_audited(new.address) || frame_audited(new.personal), 'UTF8'));
  new.transaction := pg_current_xact_id();
  new.day := null;
  new.number := null;
  new.hash := null;
  return new;
end $$;

-- The same as in store/postgres/operations/verify-audit.ts.
create or replace function hash_audit_row(previous bytea, r audit_log) returns bytea language sql stable as $$
  select sha256(previous || convert_to(
    frame_audited(r.chain) || frame_audited(to_char(r.day, 'YYYY-MM-DD')) || frame_audited(r.number::text)
    || frame_audited(r.id::text) || frame_audited(((extract(epoch from r.at) * 1000000)::bigint)::text)
    || frame_audited(r.actor) || frame_audited(r.action) || frame_audited(r.target)
    || frame_audited(r.before) || frame_audited(r.after)
    || frame_audited(encode(r.personal_digest, 'hex')), 'UTF8'))
$$;

-- Trigger function, deferred: links all rows of the transaction while it commits, at the first of them.
--
-- Locks: the lock of a chain lasts from here to the end of the commit, so writers of one merchant wait for each other's
-- commit and never for each other's statements. All other locks of the transaction were taken before; the locks of
-- chains are taken here only, all of them in one order. So no circle of waiting transactions can form.
-- Tables are small when the plans are made: without the setting each row would read audit_heads whole.
create or replace function link_audit_rows() returns trigger language plpgsql
set lock_timeout = '3s' set enable_seqscan = off as $$
declare
  today constant date := (clock_timestamp() at time zone 'UTC')::date;
  r audit_log;
  head audit_heads;
begin
  if (select number from audit_log where id = new.id) is not null then return null; end if;
  perform lock_audit_chains();
  for r in select * from audit_log
            where transaction = pg_current_xact_id() and number is null order by chain, id loop
    if r.chain is distinct from head.chain then
      perform put_audit_head(head);
      select * into head from audit_heads where chain = r.chain order by day desc limit 1;
      head.chain := r.chain;
      -- Clocks may go back; the days of a chain do not.
      head.day := greatest(head.day, today);
      -- A head that is behind its rows was tampered with: writers go on, and the verification finds it.
      head.number := greatest(head.number, (select max(number) from audit_log where chain = r.chain), 0);
    end if;
    r.day := head.day;
    r.number := head.number + 1;
    r.hash := hash_audit_row(coalesce(head.hash, ''), r);
    update audit_log set day = r.day, number = r.number, hash = r.hash where id = r.id;
    head.number := r.number;
    head.hash := r.hash;
  end loop;
  perform put_audit_head(head);
  return null;
end $$;

-- Locks the chains of the transaction's rows. A transaction with more of them than the table of locks should hold locks
-- all chains at once.
create or replace function lock_audit_chains() returns void language plpgsql as $$
declare
  most constant integer := 100;
  every constant bigint := hashtextextended('audit log', 0);
  keys constant bigint[] := array(
    select distinct hashtextextended('audit log of ' || chain, 0) from audit_log
     where transaction = pg_current_xact_id() and number is null order by 1 limit most + 1);
  key bigint;
begin
  if cardinality(keys) > most then
    perform pg_advisory_xact_lock(every);
    return;
  end if;
  perform pg_advisory_xact_lock_shared(every);
  foreach key in array keys loop
    perform pg_advisory_xact_lock(key);
  end loop;
end $$;

create or replace function put_audit_head(head audit_heads) returns void language sql as $$
  insert into audit_heads (chain, day, number, hash)
  select head.chain, head.day, head.number, head.hash where head.chain is not null
  on conflict (chain, day) do update set number = excluded.number, hash = excluded.hash
$$;

-- Erases the addresses that the log holds of a user, as the actor and as the target, and the one beside the API keys that
-- the user made. The entry that this writes lets the verification tell an erasure from tampering. Returns how many rows of
-- the log were erased.
create or replace function erase_audited_user(user_ text) returns integer language plpgsql as $$
declare
  erased integer;
begin
  update audit_log set address = null, personal = null, salt = null
   where (actor = user_ or target = user_) and salt is not null and num_nonnulls(address, personal) > 0;
  get diagnostics erased = row_count;
  update api_keys set made_by_email = null where made_by = user_ and made_by_email is not null;
  if erased > 0 then
    insert into audit_log (actor, action, target, after)
    values (find_actor(), 'audit_log.erase', user_, json_build_object('rows', erased)::text);
  end if;
  return erased;
end $$;

-- Counts a failed login of a user, or of addresses that nobody has registered (null). The first one of an hour is
-- recorded at once; report_failed_logins records the total of the hour. So a flood writes two rows per account.
create or replace function note_failed_login(user_ text, address_ text) returns void language plpgsql as $$
declare
  entry failed_logins;
begin
  insert into failed_logins as f (account, hour, address)
  values (coalesce(user_, ''), date_trunc('hour', now()), address_)
  on conflict (account, hour) do update set failures = f.failures + 1, address = excluded.address
  returning * into entry;
  if entry.failures = 1 then perform record_failed_logins(entry); end if;
end $$;

create or replace function record_failed_logins(entry failed_logins) returns void language sql as $$
  insert into audit_log (chain, actor, address, action, target, after)
  values (coalesce((select merchant_id from users where id = entry.account), ''), 'anonymous', entry.address,
          'login.failed', coalesce(nullif(entry.account, ''), 'unknown account'),
          json_build_object('hour', entry.hour at time zone 'UTC', 'failures', entry.failures)::text)
$$;

-- Records the totals of up to `most` accounts of hours that are over, and forgets them. Returns how many.
create or replace function report_failed_logins(most integer) returns integer language plpgsql as $$
declare
  entry failed_logins;
  reported integer := 0;
begin
  for entry in delete from failed_logins where (account, hour) in (
      select account, hour from failed_logins where hour < date_trunc('hour', now())
       order by hour, account limit most for update skip locked)
    returning * loop
    if entry.failures > 1 then perform record_failed_logins(entry); end if;
    reported := reported + 1;
  end loop;
  return reported;
end $$;

-- The id from which on entries are of this time or later, found by halves: the log has no index by time. Entries of
-- transactions that ran side by side may be a little out of order. Volatile, or the planner would search too.
create or replace function find_audit_place(at_ timestamptz) returns bigint language plpgsql volatile as $$
declare
  older bigint := 0;
  later bigint := coalesce((select max(id) from audit_log), 0) + 1;
  middle bigint;
  found_id bigint;
  found_at timestamptz;
begin
  while older + 1 < later loop
    middle := (older + later) / 2;
    select id, at into found_id, found_at from audit_log where id >= middle order by id limit 1;
    if found_at < at_ then older := found_id; else later := middle; end if;
  end loop;
  return later;
end $$;
