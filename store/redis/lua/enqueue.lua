-- Appends deliveries to the ready stream, unless they stand in it or in the due-list already.
-- KEYS  1 ready  2 held  3 due
-- ARGV  1 most entries of the stream  2… delivery ids
-- Returns how many were appended. Beyond the most entries the rest is left out: the reconciler brings it.
local room = tonumber(ARGV[1]) - redis.call('XLEN', KEYS[1])
local appended = 0
for index = 2, #ARGV do
  if appended >= room then break end
  local id = ARGV[index]
  if not redis.call('ZSCORE', KEYS[3], id) and redis.call('SADD', KEYS[2], id) == 1 then
    redis.call('XADD', KEYS[1], '*', 'd', id)
    appended = appended + 1
  end
end
return appended
