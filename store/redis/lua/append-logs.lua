-- Appends a page of API logs, unless as many bytes wait as may: nothing that waits is ever trimmed, so whoever is
-- refused can count all that is lost. The count of bytes begins anew where nothing waits, whatever was lost before.
-- KEYS  1 stream  2 count of bytes
-- ARGV  1 most bytes  2 the page
-- Returns whether it was taken: 1 or 0.
local waiting = 0
if redis.call('XLEN', KEYS[1]) > 0 then
  waiting = math.max(0, tonumber(redis.call('GET', KEYS[2]) or 0))
end
if waiting + #ARGV[2] > tonumber(ARGV[1]) then return 0 end
redis.call('XADD', KEYS[1], '*', 'l', ARGV[2])
redis.call('SET', KEYS[2], waiting + #ARGV[2])
return 1
