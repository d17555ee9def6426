-- Whether a payments process hears Redis, and since when that is so. One that does not, while another one
-- does, takes no part in the spread of partitions.
alter table payments_processes
  add column hears_redis boolean not null default true,
  add column redis_since timestamptz not null default now();
