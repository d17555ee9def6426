-- Counts requests in rate-limit buckets. A bucket holds the time (the server's clock, Unix microseconds) at which it
-- will be empty again; each request moves that time by its cost. The requests have been admitted already: the reply
-- tells the gateway how full each bucket is, and the gateway decides about the next ones.
-- KEYS  buckets
-- ARGV  for each bucket: microseconds to add (negative: to take back), its capacity in microseconds
-- Returns the level of each bucket, in microseconds.
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
