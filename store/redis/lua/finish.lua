-- Finishes entries: acknowledges and deletes each one, and moves its delivery on. Idempotent. The caller may have lost
-- an entry meanwhile (it was paused, or Redis lost data), so the set of held deliveries changes only together with the
-- stream, and only the lease holder may defer or return a delivery. Of a due-list that is too long, the latest are
-- dropped: the reconciler finds them when they are due. Additions come before removals: while a cluster moves the slot, a
-- list that only the arguments name can be refused, and a delivery may then be in two places, but never in none.
-- KEYS  1 ready  2 held  3 due  4 dead  5 lanes  6 overflow
-- ARGV  1 group  2 consumer  3 dead letters to keep  4 prefix of the lanes' lists  5 bound of a list  6 bound of all
--       lists  7 bound of the due-list
--       8… for each entry: entry id, endpoint id, delivery id, step, argument of the step
--       steps after an attempt, or when none is needed: done; retry (milliseconds until it is due); dead (reason)
--       steps without an attempt: deferred (milliseconds until its lane is due again);
--       returned (milliseconds until it is due)
-- Returns nothing.
local bound = findListBound(KEYS[5], tonumber(ARGV[5]), tonumber(ARGV[6]))

local function isHolder(entry)
  local pending = redis.pcall('XPENDING', KEYS[1], ARGV[1], entry, entry, 1, ARGV[2])
  return not pending.err and #pending > 0
end

for index = 8, #ARGV, 5 do
  local entry, endpoint, id = ARGV[index], ARGV[index + 1], ARGV[index + 2]
  local step, argument = ARGV[index + 3], ARGV[index + 4]
  local isUnattempted = step == 'deferred' or step == 'returned'
  if not isUnattempted or isHolder(entry) then
    if step == 'retry' or step == 'returned' then
      redis.call('ZADD', KEYS[3], now + argument, endpoint .. ' ' .. id)
    elseif step == 'deferred' then
      defer(ARGV[4] .. endpoint, bound, KEYS[6], endpoint, id)
      redis.call('ZADD', KEYS[5], 'GT', now + argument, endpoint)
    elseif step == 'dead' then
      redis.call('XADD', KEYS[4], 'MAXLEN', '~', ARGV[3], '*', 'd', id, 'reason', argument)
    end
    redis.call('XACK', KEYS[1], ARGV[1], entry)
    if redis.call('XDEL', KEYS[1], entry) == 1 then redis.call('SREM', KEYS[2], id) end
  end
end
local excess = redis.call('ZCARD', KEYS[3]) - ARGV[7]
if excess > 0 then redis.call('ZREMRANGEBYRANK', KEYS[3], -excess, -1) end
