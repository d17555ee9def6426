-- Moves due entries to the ready stream. Of a lane that is due, the first delivery of its list is moved, and the lane is
-- due again a little later unless a worker says otherwise. A delivery of the due-list whose lane has a list goes to the
-- end of that list. Field p of an entry means that it was deferred.
-- KEYS  1 due  2 ready  3 held  4 lanes  5 overflow
-- ARGV  1 limit  2 prefix of the lanes' lists  3 milliseconds until a lane is due again
--       4 bound of a list  5 bound of all lists  6 a list with fewer is refilled if Postgres has more
-- Returns the milliseconds until the next due time (-1: nothing waits), then for each lane that was due and has more: its endpoint,
-- and 1 if it should be refilled, else 0.
local bound = findListBound(KEYS[4], tonumber(ARGV[4]), tonumber(ARGV[5]))
local reply = {}

local function append(endpoint, id, ...)
  if redis.call('SADD', KEYS[3], id) == 1 then
    redis.call('XADD', KEYS[2], '*', 'd', endpoint .. ' ' .. id, ...)
  end
end

for _, endpoint in ipairs(redis.call('ZRANGE', KEYS[4], '-inf', now, 'BYSCORE', 'LIMIT', 0, ARGV[1])) do
  local list = ARGV[2] .. endpoint
  local first = redis.call('ZPOPMIN', list)
  if first[1] then append(endpoint, first[1], 'p', 1) end
  local left, hasOverflow = redis.call('ZCARD', list), redis.call('HEXISTS', KEYS[5], endpoint) == 1
  if left > 0 or hasOverflow then
    redis.call('ZADD', KEYS[4], now + ARGV[3], endpoint)
    reply[#reply + 1] = endpoint
    reply[#reply + 1] = hasOverflow and left < tonumber(ARGV[6]) and 1 or 0
  else
    redis.call('ZREM', KEYS[4], endpoint)
  end
end

local due = redis.call('ZRANGE', KEYS[1], '-inf', now, 'BYSCORE', 'LIMIT', 0, ARGV[1])
for _, member in ipairs(due) do
  local endpoint, id = string.match(member, '^(%S+) (%S+)$')
  local list = ARGV[2] .. endpoint
  if redis.call('EXISTS', list) == 1 or redis.call('HEXISTS', KEYS[5], endpoint) == 1 then
    defer(list, bound, KEYS[5], endpoint, id)
    redis.call('ZADD', KEYS[4], 'NX', now, endpoint)
  else
    append(endpoint, id)
  end
end
-- At last: while a cluster moves the slot, a list that only the arguments name can be refused, and a delivery may then be in
-- two places, but never in none.
if #due > 0 then redis.call('ZREM', KEYS[1], unpack(due)) end

local nextIn = math.huge
for _, key in ipairs({ KEYS[1], KEYS[4] }) do
  local next = redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')[2]
  if next then nextIn = math.min(nextIn, math.max(0, math.ceil(next - now))) end
end
table.insert(reply, 1, nextIn == math.huge and -1 or nextIn)
return reply
