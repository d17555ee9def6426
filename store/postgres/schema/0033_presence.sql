-- A payments process holds an advisory lock on a connection of its own while it lives, so that others see at once that it died
-- (docs/decisions/0004-leases-and-epochs.md).
alter table payments_processes
  -- the key of the lock; null: the process had none at its last renewal, and its lease alone decides
  add column presence_key integer,
  -- when the lock was last seen at a renewal
  add column present_at   timestamptz;
