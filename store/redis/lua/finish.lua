-- Finishes entries: acknowledges and deletes each one, and moves its delivery on. Idempotent. The caller may have lost
-- an entry meanwhile (it was paused, or Redis lost data), so the set of held deliveries changes only together with the
-- stream, and only the lease holder may defer or return a delivery.
-- KEYS  1 ready  2 held  3 due  4 dead
-- ARGV  1 group  2 consumer  3 dead letters to keep  4 prefix of the lanes' lists  5 now, Unix milliseconds
--       6… for each entry: entry id, endpoint id, delivery id, step, argument of the step
--       steps after an attempt, or when none is needed: done; retry (due time, Unix milliseconds); dead (reason)
--       steps without an attempt: deferred (when its lane is due again); returned (due time)
-- Returns nothing.
local function isHolder(entry)
  local pending = redis.pcall('XPENDING', KEYS[1], ARGV[1], entry, entry, 1, ARGV[2])
  return not pending.err and #pending > 0
end

for index = 6, #ARGV, 5 do
  local entry, endpoint, id = ARGV[index], ARGV[index + 1], ARGV[index + 2]
  local step, argument = ARGV[index + 3], ARGV[index + 4]
  local isUnattempted = step == 'deferred' or step == 'returned'
  if not isUnattempted or isHolder(entry) then
    redis.call('XACK', KEYS[1], ARGV[1], entry)
    if redis.call('XDEL', KEYS[1], entry) == 1 then redis.call('SREM', KEYS[2], id) end
    if step == 'retry' or step == 'returned' then
      redis.call('ZADD', KEYS[3], argument, endpoint .. ' ' .. id)
    elseif step == 'deferred' then
      redis.call('ZADD', ARGV[4] .. endpoint, 'NX', ARGV[5], id)
      redis.call('ZADD', KEYS[3], 'GT', argument, endpoint)
    elseif step == 'dead' then
      redis.call('XADD', KEYS[4], 'MAXLEN', '~', ARGV[3], '*', 'd', id, 'reason', argument)
    end
  end
end
