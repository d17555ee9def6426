-- Moves what is due from the due-list to the ready stream; what belongs to a lane with a list goes to its
-- end. Where the lane itself is due, the first of its list is moved, and the lane comes back a little later,
-- unless a worker says otherwise. A second field of an entry, p, says that it was parked.
-- KEYS  1 due  2 ready  3 held
-- ARGV  1 now, Unix milliseconds  2 most to move  3 prefix of the lists of lanes  4 milliseconds until a lane returns
-- Returns the next due time as text (empty: nothing waits), then the endpoints whose lists hold more.
local function append(endpoint, id, ...)
  if redis.call('SADD', KEYS[3], id) == 1 then
    redis.call('XADD', KEYS[2], '*', 'd', endpoint .. ' ' .. id, ...)
  end
end

local answer = { '' }
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
      answer[#answer + 1] = member
    end
  elseif redis.call('EXISTS', ARGV[3] .. endpoint) == 1 then
    redis.call('ZADD', ARGV[3] .. endpoint, 'NX', ARGV[1], id)
  else
    append(endpoint, id)
  end
end
local next = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
answer[1] = next[2] or ''
return answer
