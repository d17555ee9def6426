-- Passkeys (WebAuthn) as a second factor, the challenges of their ceremonies, and the codes that an assertion gives for a
-- step-up.

-- The number of rows in passkeys. It is kept here so that a login that waits for a change of a factor sees the change.
alter table users add column passkeys integer not null default 0 check (passkeys >= 0);

create table passkeys (
  id                 text collate "C" primary key,
  user_id            text collate "C" not null references users on delete cascade,
  name               text not null,
  -- the authenticator's name of it; it belongs to one user
  credential_id      bytea not null unique,
  public_key         bytea not null,
  -- the highest that the authenticator sent; a copy of the authenticator falls behind. 0: it does not count
  sign_count         bigint not null,
  -- how a browser reaches it: usb, internal, hybrid …
  transports         text[] not null,
  -- whether its keys may be copied to other devices, and whether they were
  is_backup_eligible boolean not null,
  is_backed_up       boolean not null,
  created_at         timestamptz not null default now(),
  last_used_at       timestamptz
);
create index passkeys_by_user on passkeys (user_id, created_at, id);
create trigger passkeys_audit after insert or delete or update of id, user_id, name, credential_id, public_key on passkeys
  for each row execute function audit_change('id', 'user_id', 'name', 'credential_id', 'public_key');

-- Each is taken once: taking it deletes it.
create table passkey_challenges (
  challenge  bytea primary key,
  user_id    text collate "C" not null references users on delete cascade,
  purpose    text collate "C" not null check (purpose in ('register', 'login', 'step_up')),
  -- null: of a login
  session_id text collate "C" references sessions on delete cascade,
  expires_at timestamptz not null,
  check ((session_id is null) = (purpose = 'login'))
);
create index passkey_challenges_by_user on passkey_challenges (user_id, expires_at);
create index passkey_challenges_by_session on passkey_challenges (session_id);

-- Each replaces one code of the second factor in one session, once: a used one is deleted.
create table step_up_codes (
  digest     bytea primary key,
  session_id text collate "C" not null references sessions on delete cascade,
  expires_at timestamptz not null
);
create index step_up_codes_by_session on step_up_codes (session_id);
