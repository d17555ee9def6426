-- Users of merchants, their passwords and second factors. A merchant keeps at least one owner with a password.

-- Lets a statement act for a session: no password, role or second factor of its user changes until the transaction ends,
-- and so no such change leaves behind what a session made that it was to end. Raises KS004 if the session has ended. The
-- second query sees what a transaction did for which the first one waited. Locks are taken in the order users (by id),
-- merchants, the rest. null: there is no session.
create or replace function hold_session(session_ text) returns boolean language plpgsql as $$
begin
  if session_ is null then return true; end if;
  perform 1 from users where id = (select user_id from sessions where id = session_) for share;
  perform 1 from sessions where id = session_ and ended_at is null;
  if not found then
    raise exception 'the session % has ended', session_ using errcode = 'KS004';
  end if;
  return true;
end $$;

-- Changes of a merchant's users run one at a time. Foreign keys do not wait for this lock.
create or replace function lock_users(merchant text) returns void language plpgsql as $$
begin
  perform 1 from merchants where id = merchant for no key update;
end $$;

-- Begins a change of one user by another. Both are locked in the order of their ids, so that two owners who change each
-- other do not wait for each other.
create or replace function begin_change_of_user(session_ text, merchant text, user_ text) returns void
language plpgsql as $$
begin
  perform 1 from users
    where id = user_ or id = (select user_id from sessions where id = session_) order by id for update;
  perform hold_session(session_);
  perform lock_users(merchant);
end $$;

create or replace function has_other_owner(merchant text, but text) returns boolean language sql stable as $$
  select exists (select 1 from users where merchant_id = merchant and id <> but and role = 'owner'
                                       and password_hash is not null)
$$;

-- Returns 'done', 'missing', or 'last_owner'.
create or replace function change_role(session_ text, merchant text, user_ text, role_ text) returns text
language plpgsql as $$
begin
  perform begin_change_of_user(session_, merchant, user_);
  perform 1 from users where id = user_ and merchant_id = merchant;
  if not found then return 'missing'; end if;
  if role_ <> 'owner' and not has_other_owner(merchant, user_) then return 'last_owner'; end if;
  update users set role = role_ where id = user_;
  return 'done';
end $$;

-- Removes a user, its sessions and its open invitations, and its API keys if `revokes_keys`. Returns 'done', 'missing', or
-- 'last_owner'.
create or replace function remove_member(session_ text, merchant text, user_ text, revokes_keys boolean) returns text
language plpgsql as $$
begin
  perform begin_change_of_user(session_, merchant, user_);
  perform 1 from users where id = user_ and merchant_id = merchant;
  if not found then return 'missing'; end if;
  if not has_other_owner(merchant, user_) then return 'last_owner'; end if;
  delete from users where id = user_;
  delete from users
   where merchant_id = merchant and invited_by = user_ and password_hash is null and verified_at is null;
  if revokes_keys then
    update api_keys set revoked_at = now()
     where merchant_id = merchant and made_by = user_ and (revoked_at is null or revoked_at > now());
  end if;
  return 'done';
end $$;

-- For gateways of the version before `remove_member`.
create or replace function remove_user(session_ text, merchant text, user_ text) returns text language sql
  as $$ select remove_member(session_, merchant, user_, false) $$;

-- Ends every session of a user except `keep`; null keeps none. Call it after a change of the user's row: a login that
-- checked what was before has waited for the change and fails, or its session is seen here.
create or replace function end_sessions(user_ text, keep text) returns void language sql as $$
  update sessions set ended_at = now()
   where user_id = user_ and id is distinct from keep and ended_at is null
$$;

-- Sets a new password and ends every session except `keep`. Returns false if `old` is no longer the password.
create or replace function change_password(user_ text, old text, new text, keep text) returns boolean
language plpgsql as $$
begin
  update users set password_hash = new where id = user_ and password_hash = old;
  if not found then return false; end if;
  perform hold_session(keep);
  perform end_sessions(user_, keep);
  update one_time_links set used_at = now()
   where user_id = user_ and purpose = 'reset' and used_at is null;
  return true;
end $$;

create or replace function put_recovery_codes(user_ text, digests text[]) returns void language plpgsql as $$
begin
  delete from recovery_codes where user_id = user_;
  insert into recovery_codes (user_id, digest) select user_, decode(d, 'hex') from unnest(digests) as d;
end $$;

-- Confirms the second factor whose secret is `secret`, and ends every session except `keep`: they were begun without it.
-- Returns false if the secret was replaced or confirmed meanwhile.
create or replace function confirm_totp(user_ text, keep text, secret text, step bigint, codes text[])
returns boolean language plpgsql as $$
begin
  update users set totp_confirmed_at = now(), totp_step = step
   where id = user_ and totp_secret = secret and totp_confirmed_at is null;
  if not found then return false; end if;
  perform hold_session(keep);
  perform put_recovery_codes(user_, codes);
  perform end_sessions(user_, keep);
  return true;
end $$;

-- Whether a login needs a second factor.
create or replace function has_second_factor(u users) returns boolean language sql immutable as $$
  select u.totp_confirmed_at is not null or u.passkeys > 0
$$;

-- Stores a passkey, and ends every session except `keep`: they were begun without it. The first factor of a user also
-- brings recovery codes. Returns 'first', 'added', 'full', or 'known' for a credential that somebody has registered.
create or replace function add_passkey(user_ text, keep text, new passkeys, codes text[], most integer) returns text
language plpgsql as $$
declare
  before users;
begin
  select * into before from users where id = user_ for update;
  perform hold_session(keep);
  if before.passkeys >= most then return 'full'; end if;
  insert into passkeys select new.* on conflict (credential_id) do nothing;
  if not found then return 'known'; end if;
  update users set passkeys = passkeys + 1 where id = user_;
  if not has_second_factor(before) then perform put_recovery_codes(user_, codes); end if;
  perform end_sessions(user_, keep);
  return case when has_second_factor(before) then 'added' else 'first' end;
end $$;

-- Removes a passkey and every session except `keep`, and the recovery codes with the last factor. Returns false if the user
-- has no such passkey.
create or replace function remove_passkey(user_ text, keep text, passkey text) returns boolean language plpgsql as $$
begin
  perform 1 from users where id = user_ for update;
  perform hold_session(keep);
  delete from passkeys where id = passkey and user_id = user_;
  if not found then return false; end if;
  update users set passkeys = passkeys - 1 where id = user_;
  perform remove_idle_recovery_codes(user_);
  perform end_sessions(user_, keep);
  return true;
end $$;

-- Recovery codes replace codes of a factor, and so are of no use without one.
create or replace function remove_idle_recovery_codes(user_ text) returns void language sql as $$
  delete from recovery_codes
   where user_id = user_ and not (select has_second_factor(u) from users u where u.id = user_)
$$;

-- Removes every second factor of a user, and its recovery codes. Returns false if there is none.
create or replace function remove_factors(user_ text) returns boolean language plpgsql as $$
declare
  had boolean;
begin
  select passkeys > 0 or totp_secret is not null into had from users where id = user_ for update;
  delete from passkeys where user_id = user_;
  update users set totp_secret = null, totp_confirmed_at = null, passkeys = 0 where id = user_;
  delete from recovery_codes where user_id = user_;
  return coalesce(had, false);
end $$;

-- The same by an operator, for a user who lost them. It also ends all sessions of the user.
create or replace function reset_factors(user_ text) returns boolean language plpgsql as $$
begin
  if not remove_factors(user_) then return false; end if;
  perform end_sessions(user_, null);
  return true;
end $$;

-- Replaces the recovery codes of a confirmed second factor. Returns false if there is none.
create or replace function renew_recovery_codes(user_ text, session_ text, codes text[]) returns boolean
language plpgsql as $$
begin
  perform 1 from users u where id = user_ and has_second_factor(u) for update;
  if not found then return false; end if;
  perform hold_session(session_);
  perform put_recovery_codes(user_, codes);
  return true;
end $$;

-- Removes the authenticator app, every session except `keep`, and the recovery codes with the last factor. Returns false if
-- there is none.
create or replace function remove_totp(user_ text, keep text) returns boolean language plpgsql as $$
begin
  update users set totp_secret = null, totp_confirmed_at = null
   where id = user_ and totp_secret is not null;
  if not found then return false; end if;
  perform hold_session(keep);
  perform remove_idle_recovery_codes(user_);
  perform end_sessions(user_, keep);
  return true;
end $$;

-- Whether an administrator is the only active one who manages the others. The caller has locked all of them.
create or replace function is_last_admin(admin_ text) returns boolean language sql stable as $$
  select exists (select from users where id = admin_ and role = 'admin' and disabled_at is null)
     and not exists (select from users where role = 'admin' and id <> admin_ and disabled_at is null)
$$;

-- Gives an administrator another role, from its next request. Returns 'done', 'same', 'missing' or 'last'.
create or replace function set_administrator_role(admin_ text, role_ text) returns text language plpgsql as $$
declare
  former text;
begin
  perform 1 from users where merchant_id is null order by id for update;
  select role into former from users where id = admin_ and merchant_id is null;
  if not found then return 'missing'; end if;
  if former = role_ then return 'same'; end if;
  if is_last_admin(admin_) then return 'last'; end if;
  update users set role = role_ where id = admin_;
  return 'done';
end $$;

-- Disables an administrator, which ends the sessions of that one, or enables it again. null as `session_` is an operator's
-- command. Returns 'done', 'same', 'missing', 'self' or 'last'.
create or replace function set_administrator(session_ text, admin_ text, is_disabled boolean) returns text
language plpgsql as $$
declare
  was_disabled boolean;
begin
  perform 1 from users where merchant_id is null order by id for update;
  perform hold_session(session_);
  select disabled_at is not null into was_disabled from users where id = admin_ and merchant_id is null;
  if not found then return 'missing'; end if;
  if is_disabled and exists (select from sessions where id = session_ and user_id = admin_) then return 'self'; end if;
  if is_disabled = was_disabled then return 'same'; end if;
  if is_disabled and is_last_admin(admin_) then return 'last'; end if;
  update users set disabled_at = case when is_disabled then now() end where id = admin_;
  if is_disabled then perform end_sessions(admin_, null); end if;
  return 'done';
end $$;

-- Registrations, proofs and mailed links of one address run one at a time, so that a proof sees every account that was
-- registered with the address before. The lock is taken before all others, and held until the transaction ends.
create or replace function lock_address(email_ text) returns boolean language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('accounts of ' || email_, 0));
  return true;
end $$;

-- Ends and clears what the users of a merchant have set up, because a stranger may have registered it with somebody else's
-- address: all users but `keep`, sessions, keys, webhook endpoints, payment links, unpaid invoices with their texts, and the
-- settings. Payments, refunds, payouts and their ledger stay: an address that was never proven has no LIVE money. The caller
-- has locked the users: what their sessions make at this moment is finished, and is cleared too, or fails (hold_session).
create or replace function clear_merchant(merchant text, keep text) returns void language plpgsql as $$
begin
  update sessions set ended_at = now()
   where user_id in (select id from users where merchant_id = merchant) and ended_at is null;
  perform lock_users(merchant);
  update api_keys set revoked_at = now()
   where merchant_id = merchant and (revoked_at is null or revoked_at > now());
  perform delete_endpoints(merchant, null);
  update payment_links set active = false where merchant_id = merchant and active;
  update invoices
     set status = 'void', voided_at = date_trunc('milliseconds', clock_timestamp()),
         customer_name = null, customer_email = null, notes = null, items = '[]'
   where merchant_id = merchant and status in ('draft', 'open');
  delete from merchant_logos where merchant_id = merchant;
  update merchants
     set display_name = default, brand_colour = default, support_email = default, support_phone = default,
         support_url = default, notices = default, sends_receipts = default, receipt_language = default
   where id = merchant;
  delete from users where merchant_id = merchant and id is distinct from keep;
end $$;

-- Makes a user the one of its address, and clears every other account that was registered with it. Returns false if another
-- user has proven the address. The caller holds lock_address.
create or replace function claim_address(user_ text, email_ text) returns boolean language plpgsql as $$
declare
  registered constant text[] := array(
    select merchant_id from users where email = email_ and verified_at is null and password_hash is not null);
  merchant text;
begin
  perform 1 from users where id = user_ or merchant_id = any(registered) order by id for update;
  if exists (select from users where email = email_ and id <> user_ and verified_at is not null) then return false; end if;
  foreach merchant in array registered loop
    if not exists (select from users where id = user_ and merchant_id = merchant) then
      perform clear_merchant(merchant, null);
    end if;
  end loop;
  return true;
end $$;

-- Locks and returns the address of the user of a mailed link; null if the link is unknown.
create or replace function lock_address_of_link(digest_ text) returns text language plpgsql as $$
declare
  email_ text;
begin
  select u.email into email_
    from one_time_links l join users u on u.id = l.user_id where l.digest = decode(digest_, 'hex');
  if found then perform lock_address(email_); end if;
  return email_;
end $$;

-- Proves the address of the user of a mailed link. The caller has checked the password against `checked_hash`: the link alone
-- would let the owner of the mailbox confirm the account of a stranger. Returns false if the link is unknown, used or
-- expired, the password was changed meanwhile, or another user has proven the address.
create or replace function verify_address(digest_ text, checked_hash text) returns boolean language plpgsql as $$
declare
  email_ text;
  user_ text;
begin
  email_ := lock_address_of_link(digest_);
  if email_ is null then return false; end if;
  update one_time_links set used_at = now()
   where digest = decode(digest_, 'hex') and purpose = 'verify' and used_at is null and expires_at > now()
     and exists (select from users u where u.id = user_id and u.password_hash = checked_hash)
  returning user_id into user_;
  if user_ is null or not claim_address(user_, email_) then return false; end if;
  update users set verified_at = coalesce(verified_at, now()) where id = user_;
  return true;
end $$;

-- Sets a password by a mailed link, which also proves the address. An account whose address was never proven
-- may have been registered by somebody else; an invited user has no password before. Returns null if the link is
-- unknown, used or expired, or another user has proven the address.
create or replace function choose_password(digest_ text, new text) returns text language plpgsql as $$
declare
  email_ text;
  user_ text;
begin
  email_ := lock_address_of_link(digest_);
  if email_ is null then return null; end if;
  update one_time_links set used_at = now()
   where digest = decode(digest_, 'hex') and purpose in ('reset', 'invite')
     and used_at is null and expires_at > now()
  returning user_id into user_;
  if user_ is null or not claim_address(user_, email_) then return null; end if;
  if exists (select from users where id = user_ and verified_at is null and password_hash is not null) then
    perform clear_merchant((select merchant_id from users where id = user_), user_);
    perform remove_factors(user_);
  end if;
  update users set password_hash = new, verified_at = coalesce(verified_at, now()) where id = user_;
  perform end_sessions(user_, null);
  update one_time_links set used_at = now()
   where user_id = user_ and purpose in ('reset', 'invite') and used_at is null;
  return user_;
end $$;
