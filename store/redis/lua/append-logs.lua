-- Appends a page of API logs, unless as many wait as may: nothing that waits is ever trimmed, so whoever is refused
-- can count all that is lost.
-- KEYS  stream
-- ARGV  most entries, the page
-- Returns how many wait now; -1: it was not taken.
if redis.call('XLEN', KEYS[1]) >= tonumber(ARGV[1]) then return -1 end
redis.call('XADD', KEYS[1], '*', 'l', ARGV[2])
return redis.call('XLEN', KEYS[1])
