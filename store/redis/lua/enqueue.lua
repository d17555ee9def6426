-- Appends deliveries that Postgres says are due to the ready stream, except those that are in the stream or in the list of
-- their lane already, or soon due in the due-list. While a lane has such a list, or the stream is full, its deliveries go
-- to the end of the list; a test event does not, because a person waits for it. A due time that is too late (the clock of another server set it) is corrected.
-- KEYS  1 ready  2 held  3 due  4 lanes  5 overflow
-- ARGV  1 entries that the stream may have  2 prefix of the lanes' lists  3 bound of a list  4 bound of all lists
--       5 milliseconds that a due delivery may be late  6 milliseconds until a lane is due at most
--       7… for each delivery: endpoint id, delivery id
-- Returns how many were added. Deliveries for which no list has room are left to Postgres.
-- The lanes' lists are missing from KEYS because only the arguments name them; their prefix is in the same slot.
local room = tonumber(ARGV[1]) - redis.call('XLEN', KEYS[1])
local bound = findListBound(KEYS[4], tonumber(ARGV[3]), tonumber(ARGV[4]))
local hasList = {}
local added = 0

local function openList(endpoint)
  hasList[endpoint] = true
  -- Redis may have lost the time of a lane that has a list.
  if redis.call('ZADD', KEYS[4], 'NX', now, endpoint) == 0 then
    redis.call('ZADD', KEYS[4], 'XX', 'LT', now + ARGV[6], endpoint)
  end
end

-- A delivery that waits for a time beyond the tolerance is taken out of the due-list.
local function isSoonDue(member)
  local dueAt = redis.call('ZSCORE', KEYS[3], member)
  if not dueAt then return false end
  if tonumber(dueAt) <= now + ARGV[5] then return true end
  redis.call('ZREM', KEYS[3], member)
  return false
end

for index = 7, #ARGV, 2 do
  local endpoint, id = ARGV[index], ARGV[index + 1]
  local member, list = endpoint .. ' ' .. id, ARGV[2] .. endpoint
  if hasList[endpoint] == nil then
    hasList[endpoint] = false
    if redis.call('EXISTS', list) == 1 or redis.call('HEXISTS', KEYS[5], endpoint) == 1 then openList(endpoint) end
  end
  local isHeld = redis.call('SISMEMBER', KEYS[2], id) == 1 or isSoonDue(member)
  if not isHeld and room <= 0 and not hasList[endpoint] then openList(endpoint) end
  local isFirst = string.sub(id, 1, 16) == 'del_000000000000' and room > 0
  if not isHeld and hasList[endpoint] and not isFirst then
    added = added + defer(list, bound, KEYS[5], endpoint, id)
  elseif not isHeld then
    redis.call('SADD', KEYS[2], id)
    redis.call('XADD', KEYS[1], '*', 'd', member)
    room = room - 1
    added = added + 1
  end
end
return added
