-- Notes that a process is alive, and forgets those that have been silent, or whose time is in the future because the clock
-- of this server was set back: they note themselves again soon.
-- KEYS  1 processes
-- ARGV  1 name  2 milliseconds after which a silent process is forgotten
-- Returns the names of all processes that are alive.
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '(' .. string.format('%.0f', now - ARGV[2]))
redis.call('ZREMRANGEBYSCORE', KEYS[1], '(' .. string.format('%.0f', now), '+inf')
return redis.call('ZRANGE', KEYS[1], 0, -1)
