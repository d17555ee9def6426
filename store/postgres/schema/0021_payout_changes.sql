-- The transaction that wrote an event of a payout: gateways tell open pages which payouts changed
-- (store/postgres/changes/payout-changes.ts), and transactions do not commit in the order of their times.
alter table payout_events add column transaction xid8 not null default pg_current_xact_id();
create index payout_events_by_transaction on payout_events (transaction);
