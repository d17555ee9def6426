-- Ends the overflow of a lane after every overdue delivery of its endpoint was offered, unless one was left out since.
-- KEYS  1 overflow
-- ARGV  1 endpoint id  2 the count before the deliveries were read
-- Returns 1 when it ended, else 0.
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
return redis.call('HDEL', KEYS[1], ARGV[1])
