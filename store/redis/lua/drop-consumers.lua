-- Removes consumers that have not been heard of for long, unless entries are pending for them: those would
-- belong to nobody, and no one would ever take them over.
-- KEYS  1 ready
-- ARGV  1 group  2 milliseconds
-- Returns how many were removed.
local dropped = 0
local consumers = redis.pcall('XINFO', 'CONSUMERS', KEYS[1], ARGV[1])
if consumers.err then return 0 end
for _, fields in ipairs(consumers) do
  local of = {}
  for index = 1, #fields, 2 do of[fields[index]] = fields[index + 1] end
  if of['pending'] == 0 and of['idle'] > tonumber(ARGV[2]) then
    redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], of['name'])
    dropped = dropped + 1
  end
end
return dropped
