-- Makes sure that the group is there, and that the set of held deliveries says what stands in the stream:
-- after a loss (wiped, deleted, group destroyed, entries trimmed) one of the two is not so.
-- KEYS  1 ready  2 held
-- ARGV  1 group
-- Returns 1 when something had to be mended, else 0.
local made = redis.pcall('XGROUP', 'CREATE', KEYS[1], ARGV[1], '0', 'MKSTREAM')
local had = type(made) == 'table' and made.err ~= nil
if had and redis.call('SCARD', KEYS[2]) == redis.call('XLEN', KEYS[1]) then return 0 end
redis.call('DEL', KEYS[2])
for _, entry in ipairs(redis.call('XRANGE', KEYS[1], '-', '+')) do
  redis.call('SADD', KEYS[2], string.match(entry[2][2], '%S+$'))
end
return 1
