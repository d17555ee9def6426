-- Appends deliveries to the ready stream, except those that are in the stream, in the due-list or in the list of their
-- lane already. While a lane has such a list, its new deliveries go to the end of the list.
-- KEYS  1 ready  2 held  3 due
-- ARGV  1 entries that the stream may have  2 prefix of the lanes' lists  3 now, Unix milliseconds
--       4… for each delivery: endpoint id, delivery id
-- Returns how many were added. Deliveries that exceed the stream's limit are left out; the reconciler adds them later.
-- The lanes' lists are missing from KEYS because only the arguments name them; their prefix is in the same slot.
local room = tonumber(ARGV[1]) - redis.call('XLEN', KEYS[1])
local hasList = {}
local added = 0
for index = 4, #ARGV, 2 do
  local endpoint, id = ARGV[index], ARGV[index + 1]
  local member, lane = endpoint .. ' ' .. id, ARGV[2] .. endpoint
  if hasList[endpoint] == nil then
    hasList[endpoint] = redis.call('EXISTS', lane) == 1
    -- Redis may have lost the lane's entry of the due-list.
    if hasList[endpoint] then redis.call('ZADD', KEYS[3], 'NX', ARGV[3], endpoint) end
  end
  local isHeld = redis.call('SISMEMBER', KEYS[2], id) == 1 or redis.call('ZSCORE', KEYS[3], member)
  if not isHeld and hasList[endpoint] then
    added = added + redis.call('ZADD', lane, 'NX', ARGV[3], id)
  elseif not isHeld and room > 0 then
    redis.call('SADD', KEYS[2], id)
    redis.call('XADD', KEYS[1], '*', 'd', member)
    room = room - 1
    added = added + 1
  end
end
return added
