-- Quarantined commands get the name that the glossary has. Processes of the version before read and write them by the view, for
-- one version (docs/decisions/0075-one-name-per-thing.md).

alter table parked_commands rename to quarantined_commands;
alter table quarantined_commands rename column parked_at to quarantined_at;
alter table quarantined_commands rename constraint parked_commands_pkey to quarantined_commands_pkey;
create view parked_commands as
  select partition, position_ms, position_seq, index, command, error, quarantined_at as parked_at from quarantined_commands;
