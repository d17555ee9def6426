-- Ends the work on entries: acknowledged, removed, and where it goes on from here.
-- KEYS  1 ready  2 held  3 due  4 dead
-- ARGV  1 group  2 most dead letters kept  3… per entry: entry id, delivery id, next step, its argument
--       next step: 'done'; 'later' (argument: due time, Unix milliseconds); 'dead' (argument: reason);
--       'twice' (another entry stands for the delivery)
-- Returns nothing.
for index = 3, #ARGV, 4 do
  local entry, id, step, argument = ARGV[index], ARGV[index + 1], ARGV[index + 2], ARGV[index + 3]
  redis.call('XACK', KEYS[1], ARGV[1], entry)
  redis.call('XDEL', KEYS[1], entry)
  if step ~= 'twice' then redis.call('SREM', KEYS[2], id) end
  if step == 'later' then redis.call('ZADD', KEYS[3], argument, id) end
  if step == 'dead' then
    redis.call('XADD', KEYS[4], 'MAXLEN', '~', ARGV[2], '*', 'd', id, 'reason', argument)
  end
end
