-- Users of merchants and administrators: their sessions, one-time links and mails. Tokens are stored as
-- SHA-256 only.

create table users (
  id                text collate "C" primary key,
  -- in lower case; an address that is verified is one user
  email             text collate "C" not null,
  -- null: an administrator
  merchant_id       text collate "C" references merchants,
  role              text collate "C" not null
    check (role in ('owner', 'developer', 'finance', 'viewer', 'admin')),
  -- argon2id; null: invited, no password chosen yet
  password_hash     text collate "C",
  language          text collate "C" not null default 'id' check (language in ('id', 'en')),
  verified_at       timestamptz,
  -- ciphertext; a login needs a code once totp_confirmed_at is set
  totp_secret       text collate "C",
  totp_confirmed_at timestamptz,
  -- the time step of the last accepted code, so that each code is accepted once
  totp_step         bigint not null default 0,
  created_at        timestamptz not null default now(),
  -- of the last mail about a lock after failed logins
  lockout_mailed_at timestamptz,
  -- set for administrators only, who cannot log in then
  disabled_at       timestamptz,
  check ((merchant_id is null) = (role = 'admin')),
  check (disabled_at is null or role = 'admin')
);
create index users_by_merchant on users (merchant_id, created_at, id);
-- Until an address is verified, several accounts may name it: whether one of them is refused would tell a stranger that
-- another one exists.
create unique index users_by_verified_email on users (email) where verified_at is not null;
create index users_by_email on users (email, created_at, id);
create unique index users_of_merchant_by_email on users (merchant_id, email);
create trigger users_audit after insert or update or delete on users for each row
  execute function audit_change('id', '~email', 'merchant_id', 'role', '#password_hash', 'verified_at',
                                '#totp_secret', 'totp_confirmed_at', 'disabled_at');

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
-- Not audited: the deletion of a session, which only takes rights away and mostly is the clean-up of expired ones.
create trigger sessions_audit
  after insert or update of id, user_id, digest, expires_at, ended_at on sessions for each row
  execute function audit_change('id', 'user_id', '#digest', 'expires_at', 'ended_at');

-- Each replaces one code of the second factor, once: a used one is deleted.
create table recovery_codes (
  user_id text collate "C" not null references users on delete cascade,
  digest  bytea not null,
  primary key (user_id, digest)
);
create trigger recovery_codes_audit after insert or update or delete on recovery_codes for each row
  execute function audit_change('user_id', '#digest');

create table one_time_links (
  digest     bytea primary key,
  purpose    text collate "C" not null check (purpose in ('verify', 'reset', 'invite')),
  user_id    text collate "C" not null references users on delete cascade,
  expires_at timestamptz not null,
  used_at    timestamptz
);
create index one_time_links_by_user on one_time_links (user_id);
create index one_time_links_by_expiry on one_time_links (expires_at);
create trigger one_time_links_audit after insert or update on one_time_links for each row
  execute function audit_change('user_id', '#digest', 'purpose', 'expires_at', 'used_at');

-- Failed logins of the hour, per account: the audit log gets the first one and the total (note_failed_login).
create table failed_logins (
  -- the id of a user; empty for all addresses that nobody has registered
  account  text collate "C" not null,
  hour     timestamptz not null,
  failures integer not null default 1,
  -- of the latest one
  address  text collate "C" not null,
  primary key (account, hour)
) with (fillfactor = 50);

-- A mail is written by the statement that causes it and sent afterwards. Without SMTP_URL mails stay here;
-- `npm run mail -- list` prints them. The body of a sent mail is cleared, since it may hold a link.
create table mails (
  id              text collate "C" primary key,
  recipient       text not null,
  subject         text not null,
  body            text not null,
  -- The limits that it counts in (mail_limits). Each has its own, so that a flood of one kind suppresses no other.
  budget          text collate "C" not null default 'notice'
    check (budget in ('registration', 'reset', 'invite', 'invoice', 'notice', 'operation', 'payment', 'receipt')),
  -- Written by limit_mail: one digest for each spelling of an address. It outlives an erasure, so that erasing the
  -- recipient does not lift the limit.
  mailbox         text collate "C" not null,
  -- set for mails that a merchant causes to people who did not ask for them
  merchant_id     text collate "C",
  invoice_id      text collate "C",
  -- that a mail tells of; its erasure erases the mail
  payment_id      text collate "C",
  created_at      timestamptz not null default now(),
  attempts        integer not null default 0,
  next_attempt_at timestamptz not null default now(),
  sent_at         timestamptz,
  error           text
);
-- in the order of turns (store/postgres/turns.ts); a mail is tried eight times
create index mails_unsent on mails ((budget || ' ' || coalesce(merchant_id, '')), next_attempt_at)
  where sent_at is null and attempts < 8;
create index mails_by_time on mails (created_at);
create index mails_by_merchant on mails (merchant_id, budget, created_at) where merchant_id is not null;
create index mails_by_mailbox on mails (mailbox, budget, created_at);
-- Replaced by functions/mails.sql.
create function limit_mail() returns trigger language plpgsql
  as $$ begin raise exception 'limit_mail is missing: run the migration'; end $$;
create trigger mails_limited before insert on mails for each row execute function limit_mail();
create index mails_by_invoice on mails (invoice_id) where invoice_id is not null;
create index mails_by_payment on mails (payment_id) where payment_id is not null;

-- Notices: facts that a merchant or its customer hears of by mail. The statement that stores a fact also inserts its notice;
-- a gateway composes the mails of a notice, and inserts them with the statement that ends it. So no crash loses or doubles
-- one. A fact has one notice, however often it is reported.
create table notices (
  id          bigint generated always as identity primary key,
  kind        text collate "C" not null
    check (kind in ('endpoint_failing', 'endpoint_disabled', 'payment_received', 'payout_failed', 'kyc_decided',
                    'receipt')),
  merchant_id text collate "C" not null,
  -- the fact: the endpoint and the begin of its failures, the payment, the payout and its status, the decision
  fact        text collate "C" not null,
  -- JSON for the text of the mail, without personal data
  details     text not null,
  at          timestamptz not null default now(),
  -- when its mails are composed next; later after an error
  next_at     timestamptz not null default now(),
  ended_at    timestamptz,
  error       text,
  unique (kind, fact)
);
-- in the order of turns (store/postgres/turns.ts)
create index notices_waiting on notices (merchant_id, next_at) where ended_at is null;
create index notices_by_time on notices (at);
