-- Moves what is due from the due-list to the ready stream.
-- KEYS  1 due  2 ready  3 held
-- ARGV  1 now, Unix milliseconds  2 most to move
-- Returns the next due time as text, or false when nothing waits.
local ids = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])
for _, id in ipairs(ids) do
  redis.call('ZREM', KEYS[1], id)
  if redis.call('SADD', KEYS[3], id) == 1 then redis.call('XADD', KEYS[2], '*', 'd', id) end
end
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
return first[2] or false
