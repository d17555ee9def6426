-- Versions of command frames (docs/decisions/0058-versions-of-frames.md).

-- The newest version that the process reads, and since when it says so. A build that says nothing reads version 1.
alter table payments_processes
  add column reads_version smallint not null default 1 check (reads_version > 0),
  add column announced_at  timestamptz not null default now();

-- The version of the frame before which the last owner stopped, because it does not read it, and when it did; null: it did
-- not stop.
alter table partitions
  add column stopped_version smallint check (stopped_version > 1),
  add column stopped_at      timestamptz,
  add check (num_nulls(stopped_version, stopped_at) in (0, 2));
