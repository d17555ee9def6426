-- Operators say which payments processes own partitions (docs/decisions/0085-operators-move-partitions.md).

-- The process owns no partition while another one can.
alter table payments_processes
  add column is_drained boolean not null default false;

-- Until `moves_until`, only this process claims the partition, beyond its share. A claim clears `moves_until`; afterwards the process
-- hands over its other partitions first.
alter table partitions
  add column moves_to text,
  add column moves_until timestamptz;
