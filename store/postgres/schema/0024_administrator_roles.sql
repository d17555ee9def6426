-- Administrators have roles, as users of merchants do. Those of before are of the role admin, which may do everything.
alter table users
  drop constraint users_role_check,
  drop constraint users_check,
  drop constraint users_check1,
  add constraint users_role check
    (role in ('owner', 'developer', 'finance', 'viewer', 'admin', 'compliance', 'treasury', 'support')),
  add constraint users_merchant_of_role check
    ((merchant_id is null) = (role in ('admin', 'compliance', 'treasury', 'support'))),
  add constraint users_disabled check (disabled_at is null or merchant_id is null);
