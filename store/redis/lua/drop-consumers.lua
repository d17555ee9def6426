-- Removes consumers that have been idle for long and have nothing pending. Deleting a consumer with pending entries
-- would strand them: no other consumer could claim them.
-- KEYS  1 ready
-- ARGV  1 group  2 idle milliseconds
-- Returns how many consumers were removed.
local dropped = 0
local consumers = redis.pcall('XINFO', 'CONSUMERS', KEYS[1], ARGV[1])
if consumers.err then return 0 end
for _, fields in ipairs(consumers) do
  local consumer = {}
  for index = 1, #fields, 2 do consumer[fields[index]] = fields[index + 1] end
  if consumer['pending'] == 0 and consumer['idle'] > tonumber(ARGV[2]) then
    redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], consumer['name'])
    dropped = dropped + 1
  end
end
return dropped
