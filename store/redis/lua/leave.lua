-- Removes a consumer from the group unless it has pending entries: a reply to it may have been lost, and deleting the
-- consumer would strand the entries, since no other consumer could claim them.
-- KEYS  1 ready
-- ARGV  1 group  2 consumer
-- Returns 1 when it was removed, else 0.
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
local pending = redis.call('XPENDING', KEYS[1], ARGV[1], '-', '+', 1, ARGV[2])
if #pending > 0 then return 0 end
redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], ARGV[2])
return 1
