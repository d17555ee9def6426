-- People: users of merchants and administrators, their sessions, links that are good once, and mails. Tokens
-- are kept as SHA-256 only.

create table users (
  id                text collate "C" primary key,
  -- in lower case; an address is one user
  email             text collate "C" not null unique,
  -- null: an administrator
  merchant_id       text collate "C" references merchants,
  role              text collate "C" not null
    check (role in ('owner', 'developer', 'finance', 'viewer', 'admin')),
  -- argon2id; null: invited, no password chosen yet
  password_hash     text collate "C",
  language          text collate "C" not null default 'id' check (language in ('id', 'en')),
  verified_at       timestamptz,
  -- ciphertext; codes are asked for from totp_confirmed_at on
  totp_secret       text collate "C",
  totp_confirmed_at timestamptz,
  -- that of the last code taken: each code is taken once
  totp_step         bigint not null default 0,
  created_at        timestamptz not null default now(),
  check ((merchant_id is null) = (role = 'admin'))
);
create index users_by_merchant on users (merchant_id, created_at, id);

create table sessions (
  id           text collate "C" primary key,
  user_id      text collate "C" not null references users on delete cascade,
  digest       bytea not null unique,
  address      text collate "C" not null,
  created_at   timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  expires_at   timestamptz not null,
  ended_at     timestamptz
);
create index sessions_by_user on sessions (user_id, created_at, id);

create table one_time_links (
  digest     bytea primary key,
  purpose    text collate "C" not null check (purpose in ('verify', 'reset', 'invite')),
  user_id    text collate "C" not null references users on delete cascade,
  expires_at timestamptz not null,
  used_at    timestamptz
);
create index one_time_links_by_user on one_time_links (user_id);
create index one_time_links_by_expiry on one_time_links (expires_at);

-- Mails are written by the statement that causes them, and sent behind it. Without SMTP_URL they stay here,
-- to be read with `npm run mail -- list`. The text of one that was sent is cleared: it may hold a link.
create table mails (
  id              text collate "C" primary key,
  recipient       text not null,
  subject         text not null,
  body            text not null,
  created_at      timestamptz not null default now(),
  attempts        integer not null default 0,
  next_attempt_at timestamptz not null default now(),
  sent_at         timestamptz,
  error           text
);
create index mails_unsent on mails (next_attempt_at) where sent_at is null;
create index mails_by_time on mails (created_at);

-- A merchant keeps at least one owner who can log in. Changes of a merchant's users happen one at a time.
create function lock_users(merchant text) returns void language plpgsql as $$
begin
  perform 1 from merchants where id = merchant for update;
end $$;

create function has_other_owner(merchant text, but text) returns boolean language sql stable as $$
  select exists (select 1 from users where merchant_id = merchant and id <> but and role = 'owner'
                                       and password_hash is not null)
$$;

-- 'done', 'missing', or 'last_owner'.
create function change_role(merchant text, user_ text, role_ text) returns text
language plpgsql as $$
begin
  perform lock_users(merchant);
  perform 1 from users where id = user_ and merchant_id = merchant;
  if not found then return 'missing'; end if;
  if role_ <> 'owner' and not has_other_owner(merchant, user_) then return 'last_owner'; end if;
  update users set role = role_ where id = user_;
  return 'done';
end $$;

create function remove_user(merchant text, user_ text) returns text language plpgsql as $$
begin
  perform lock_users(merchant);
  perform 1 from users where id = user_ and merchant_id = merchant;
  if not found then return 'missing'; end if;
  if not has_other_owner(merchant, user_) then return 'last_owner'; end if;
  delete from users where id = user_;
  return 'done';
end $$;

-- Sets a new password, and ends every session but `keep`. In steps, so that a session which a login has made
-- meanwhile is seen. False: `old` is the password no more.
create function change_password(user_ text, old text, new text, keep text) returns boolean
language plpgsql as $$
begin
  update users set password_hash = new where id = user_ and password_hash = old;
  if not found then return false; end if;
  update sessions set ended_at = now() where user_id = user_ and id <> keep and ended_at is null;
  update one_time_links set used_at = now()
   where user_id = user_ and purpose = 'reset' and used_at is null;
  return true;
end $$;

-- Sets a password by a link that was mailed, which also proves the address. Who had registered an address
-- without ever proving it may have been somebody else: keys and second factor of that time end. Null: the link is
-- not good (any more).
create function choose_password(digest_ text, new text) returns text language plpgsql as $$
declare
  user_ text;
begin
  update one_time_links set used_at = now()
   where digest = decode(digest_, 'hex') and purpose in ('reset', 'invite')
     and used_at is null and expires_at > now()
  returning user_id into user_;
  if user_ is null then return null; end if;
  update api_keys k set revoked_at = now()
    from users u
   where u.id = user_ and u.verified_at is null and u.password_hash is not null
     and k.merchant_id = u.merchant_id and (k.revoked_at is null or k.revoked_at > now());
  update users set totp_secret = null, totp_confirmed_at = null
   where id = user_ and verified_at is null;
  update users set password_hash = new, verified_at = coalesce(verified_at, now()) where id = user_;
  update sessions set ended_at = now() where user_id = user_ and ended_at is null;
  update one_time_links set used_at = now()
   where user_id = user_ and purpose in ('reset', 'invite') and used_at is null;
  return user_;
end $$;
