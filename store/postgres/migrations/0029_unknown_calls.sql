-- Calls without an answer that their rail was asked for are counted every few seconds, beside all that there ever were.
create index rail_calls_unknown on rail_calls (rail) where state = 'sent' and unknown_at is not null;
