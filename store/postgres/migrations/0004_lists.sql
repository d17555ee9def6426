-- What lists look for beside the newest payments of a merchant (payments_by_merchant). A create with a
-- reference_id pays 3 to 5 µs of CPU for the first index (6 to 11 with merchant, time and id in it); payments enter
-- the second one when they leave pending.
create index payments_by_reference on payments (reference_id) where reference_id is not null;
create index payments_by_status on payments (merchant_id, environment, status, created_at, id)
  where status in ('paid', 'failed', 'cancelled', 'refunded');

-- How many requests rely on a claim: those that were answered or are under way. A request that was refused
-- (503: nothing was accepted) takes itself out; with 0 the key is free for another body.
alter table idempotency_claims add column uses integer not null default 1 check (uses >= 0);
