-- Counts requests in the buckets of rate limits. A bucket is the time (server's clock, Unix microseconds) at
-- which it will have run empty; a request fills it by what one costs. What is counted was let in already: the
-- answer says how full each bucket is now, for those who decide.
-- KEYS  buckets
-- ARGV  per bucket: microseconds to add (below 0: to take back), most that it may hold
-- Returns how full each is, in microseconds.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local levels = {}
for index, key in ipairs(KEYS) do
  local level = tonumber(redis.call('GET', key) or '0') - now
  if level < 0 then level = 0 end
  level = math.max(0, math.min(level + ARGV[2 * index - 1], tonumber(ARGV[2 * index])))
  redis.call('SET', key, string.format('%.0f', now + level), 'PX', math.ceil(level / 1000) + 1)
  levels[index] = level
end
return levels
