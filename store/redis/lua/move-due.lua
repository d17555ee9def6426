-- Moves due entries of the due-list to the ready stream. A delivery whose lane has a list goes to the end of that list.
-- When a lane itself is due, the first delivery of its list is moved, and the lane is due again a little later unless a
-- worker says otherwise. Field p of an entry means that it was deferred.
-- KEYS  1 due  2 ready  3 held
-- ARGV  1 now, Unix milliseconds  2 limit  3 prefix of the lanes' lists  4 milliseconds until a lane is due again
-- Returns the next due time as text (empty: the due-list is empty), then the endpoints whose lists hold more.
local function append(endpoint, id, ...)
  if redis.call('SADD', KEYS[3], id) == 1 then
    redis.call('XADD', KEYS[2], '*', 'd', endpoint .. ' ' .. id, ...)
  end
end

local reply = { '' }
local due = redis.call('ZRANGE', KEYS[1], '-inf', ARGV[1], 'BYSCORE', 'LIMIT', 0, ARGV[2])
if #due > 0 then redis.call('ZREM', KEYS[1], unpack(due)) end
for _, member in ipairs(due) do
  local endpoint, id = string.match(member, '^(%S+) (%S+)$')
  if endpoint == nil then
    local lane = ARGV[3] .. member
    local first = redis.call('ZPOPMIN', lane)
    if first[1] then append(member, first[1], 'p', 1) end
    if redis.call('EXISTS', lane) == 1 then
      redis.call('ZADD', KEYS[1], ARGV[1] + ARGV[4], member)
      reply[#reply + 1] = member
    end
  elseif redis.call('EXISTS', ARGV[3] .. endpoint) == 1 then
    redis.call('ZADD', ARGV[3] .. endpoint, 'NX', ARGV[1], id)
  else
    append(endpoint, id)
  end
end
local next = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
reply[1] = next[2] or ''
return reply
