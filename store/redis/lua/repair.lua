-- Creates the group if it is missing, and rebuilds the set of held deliveries if it differs from the stream. Either is
-- the sign of a loss: Redis was wiped, the group was destroyed, or entries were trimmed.
-- KEYS  1 ready  2 held
-- ARGV  1 group
-- Returns 1 when something was repaired, else 0.
local created = redis.pcall('XGROUP', 'CREATE', KEYS[1], ARGV[1], '0', 'MKSTREAM')
local existed = type(created) == 'table' and created.err ~= nil
if existed and redis.call('SCARD', KEYS[2]) == redis.call('XLEN', KEYS[1]) then return 0 end
redis.call('DEL', KEYS[2])
for _, entry in ipairs(redis.call('XRANGE', KEYS[1], '-', '+')) do
  redis.call('SADD', KEYS[2], string.match(entry[2][2], '%S+$'))
end
return 1
