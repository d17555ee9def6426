-- The number of partitions can be multiplied (docs/decisions/0082-partitions-are-split.md).

-- The numbers of partitions that the installation has had, the present one last. They are in the row of the epoch, so that a claim
-- reads the number of its epoch. Null: they were never split.
alter table partitions
  add column counts smallint[] check (cardinality(counts) > 1);

-- Whether the process takes the number of partitions from its claims. A build that says nothing does not.
alter table payments_processes
  add column follows_splits boolean not null default false;

create function refuse_unaware_owner() returns trigger language plpgsql
  as $$ begin raise exception 'declared only'; end $$;

-- Claims set the owner, commits do not.
create trigger partitions_are_owned_by_aware before update of owner on partitions for each row
  when (new.owner is not null and new.counts is not null)
  execute function refuse_unaware_owner();
