-- The browser and the system of a login, so that its user recognises the session. Its client names them
-- (gateway/accounts/schema.ts); null: it named none, or the login was before this file.
alter table sessions
  add column browser text collate "C",
  add column system  text collate "C";
