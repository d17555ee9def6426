-- Removes a consumer from the group, unless entries are pending for it (a reply to it may have been lost):
-- they would belong to nobody, and no one would ever take them over.
-- KEYS  1 ready
-- ARGV  1 group  2 consumer
-- Returns 1 when it was removed, else 0.
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
local pending = redis.call('XPENDING', KEYS[1], ARGV[1], '-', '+', 1, ARGV[2])
if #pending > 0 then return 0 end
redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], ARGV[2])
return 1
