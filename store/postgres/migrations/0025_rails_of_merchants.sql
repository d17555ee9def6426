-- Who gave a merchant rails of its own. The row's name in the audit log is its merchant and method.
alter table merchant_rail_routes
  add column id text collate "C" generated always as (merchant_id || ' ' || method) stored;
create trigger merchant_rail_routes_audit after insert or update or delete on merchant_rail_routes
  for each row execute function audit_change('id', 'rails');
