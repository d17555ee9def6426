-- What lists look for beside the newest payments of a merchant (payments_by_merchant). Neither index is
-- touched by a create that has no reference_id: payments enter the second one when they leave pending.
create index payments_by_reference on payments (merchant_id, environment, reference_id, created_at, id)
  where reference_id is not null;
create index payments_by_status on payments (merchant_id, environment, status, created_at, id)
  where status in ('paid', 'failed', 'cancelled', 'refunded');

-- How many requests rely on a claim: those that were answered or are under way. A request that was refused
-- (503: nothing was accepted) takes itself out; with 0 the key is free for another body.
alter table idempotency_claims add column uses integer not null default 1 check (uses >= 0);
