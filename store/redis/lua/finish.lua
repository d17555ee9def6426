-- Ends the work on entries: acknowledged, removed, and where it goes on from here.
-- KEYS  1 ready  2 held  3 due  4 dead
-- ARGV  1 group  2 most dead letters kept  3 prefix of the lists of lanes  4 now, Unix milliseconds
--       5… per entry: entry id, endpoint id, delivery id, next step, its argument
--       next step: 'done'; 'later' (argument: due time, Unix milliseconds); 'dead' (argument: reason);
--       'parked' (argument: when its lane returns); 'twice' (another entry stands for the delivery)
-- Returns nothing.
local entries, released = {}, {}
for index = 5, #ARGV, 5 do
  local endpoint, id, step = ARGV[index + 1], ARGV[index + 2], ARGV[index + 3]
  local argument = ARGV[index + 4]
  entries[#entries + 1] = ARGV[index]
  if step ~= 'twice' then released[#released + 1] = id end
  if step == 'later' then
    redis.call('ZADD', KEYS[3], argument, endpoint .. ' ' .. id)
  elseif step == 'parked' then
    redis.call('ZADD', ARGV[3] .. endpoint, 'NX', ARGV[4], id)
    redis.call('ZADD', KEYS[3], 'GT', argument, endpoint)
  elseif step == 'dead' then
    redis.call('XADD', KEYS[4], 'MAXLEN', '~', ARGV[2], '*', 'd', id, 'reason', argument)
  end
end
redis.call('XACK', KEYS[1], ARGV[1], unpack(entries))
redis.call('XDEL', KEYS[1], unpack(entries))
if #released > 0 then redis.call('SREM', KEYS[2], unpack(released)) end
