-- The signatures that an attempt sent, with their time and the word of their names (actors/core/webhooks/sign.ts), so that a
-- merchant can compare them with those that arrived. '': no request was sent. null: a process of an earlier version recorded
-- the attempt, or data of its event was erased.
alter table webhook_attempts add column signatures text collate "C";
