-- Ends the work on entries: acknowledged, removed, and where it goes on from here. May be repeated, and may come
-- from a worker that has lost its entry meanwhile (it was paused, or Redis lost data): the set of held deliveries
-- changes with the stream and not otherwise, and only who holds an entry can give it back.
-- KEYS  1 ready  2 held  3 due  4 dead
-- ARGV  1 group  2 consumer  3 most dead letters kept  4 prefix of the lists of lanes  5 now, Unix milliseconds
--       6… per entry: entry id, endpoint id, delivery id, next step, its argument
--       next step of what was attempted (or needs no attempt): 'done'; 'later' (argument: due time, Unix
--       milliseconds); 'dead' (argument: reason)
--       of what was not: 'parked' (argument: when its lane returns); 'back' (argument: due time)
-- Returns nothing.
local function isMine(entry)
  local mine = redis.pcall('XPENDING', KEYS[1], ARGV[1], entry, entry, 1, ARGV[2])
  return not mine.err and #mine > 0
end

for index = 6, #ARGV, 5 do
  local entry, endpoint, id = ARGV[index], ARGV[index + 1], ARGV[index + 2]
  local step, argument = ARGV[index + 3], ARGV[index + 4]
  local isGivenBack = step == 'parked' or step == 'back'
  if not isGivenBack or isMine(entry) then
    redis.call('XACK', KEYS[1], ARGV[1], entry)
    if redis.call('XDEL', KEYS[1], entry) == 1 then redis.call('SREM', KEYS[2], id) end
    if step == 'later' or step == 'back' then
      redis.call('ZADD', KEYS[3], argument, endpoint .. ' ' .. id)
    elseif step == 'parked' then
      redis.call('ZADD', ARGV[4] .. endpoint, 'NX', ARGV[5], id)
      redis.call('ZADD', KEYS[3], 'GT', argument, endpoint)
    elseif step == 'dead' then
      redis.call('XADD', KEYS[4], 'MAXLEN', '~', ARGV[3], '*', 'd', id, 'reason', argument)
    end
  end
end
