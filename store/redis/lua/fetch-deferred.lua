-- Moves the first deliveries of a lane's list to the ready stream. While some are left, the lane is due again a little
-- later, so that they return even if no worker fetches them. Field p of an entry means that it was deferred.
-- KEYS  1 ready  2 held  3 lanes  4 the lane's list  5 overflow
-- ARGV  1 endpoint id  2 limit  3 milliseconds until the lane is due again
-- Returns how many are left in the list, and 1 if Postgres has more, else 0.
local popped = redis.call('ZPOPMIN', KEYS[4], ARGV[2])
for index = 1, #popped, 2 do
  if redis.call('SADD', KEYS[2], popped[index]) == 1 then
    redis.call('XADD', KEYS[1], '*', 'd', ARGV[1] .. ' ' .. popped[index], 'p', 1)
  end
end
local left = redis.call('ZCARD', KEYS[4])
local hasOverflow = redis.call('HEXISTS', KEYS[5], ARGV[1])
if left == 0 and hasOverflow == 0 then
  redis.call('ZREM', KEYS[3], ARGV[1])
else
  redis.call('ZADD', KEYS[3], 'GT', now + ARGV[3], ARGV[1])
end
return { left, hasOverflow }
