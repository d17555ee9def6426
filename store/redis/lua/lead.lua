-- Takes or renews the lease of a leader, unless another process holds it.
-- KEYS  1 lease
-- ARGV  1 name of the process  2 milliseconds of the lease
-- Returns 1 when the process leads, else 0.
local leader = redis.call('GET', KEYS[1])
if leader and leader ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
