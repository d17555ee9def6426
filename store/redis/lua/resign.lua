-- Gives the lease of a leader back, if this process holds it.
-- KEYS  1 lease
-- ARGV  1 name of the process
-- Returns 1 when it was given back, else 0.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
