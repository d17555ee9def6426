-- Appends deliveries to the ready stream, unless they are held already: in the stream, in the due-list or in
-- the list of their lane. While a lane has such a list, new ones go to its end.
-- KEYS  1 ready  2 held  3 due
-- ARGV  1 most entries of the stream  2 prefix of the lists of lanes  3 now, Unix milliseconds
--       4… endpoint id, delivery id, …
-- Returns how many were not held. Beyond the most entries the rest is left out: the reconciler brings it.
-- (The lists are not among KEYS, since only data names them; their prefix is of the same slot.)
local room = tonumber(ARGV[1]) - redis.call('XLEN', KEYS[1])
local isParked = {}
local taken = 0
for index = 4, #ARGV, 2 do
  local endpoint, id = ARGV[index], ARGV[index + 1]
  local job, lane = endpoint .. ' ' .. id, ARGV[2] .. endpoint
  if isParked[endpoint] == nil then
    isParked[endpoint] = redis.call('EXISTS', lane) == 1
    -- The lane's entry of the due-list may have been lost.
    if isParked[endpoint] then redis.call('ZADD', KEYS[3], 'NX', ARGV[3], endpoint) end
  end
  local isHeld = redis.call('SISMEMBER', KEYS[2], id) == 1 or redis.call('ZSCORE', KEYS[3], job)
  if not isHeld and isParked[endpoint] then
    taken = taken + redis.call('ZADD', lane, 'NX', ARGV[3], id)
  elseif not isHeld and room > 0 then
    redis.call('SADD', KEYS[2], id)
    redis.call('XADD', KEYS[1], '*', 'd', job)
    room = room - 1
    taken = taken + 1
  end
end
return taken
