-- Appends a page of API logs unless that would exceed the limit of bytes. No page that waits is ever trimmed, so the
-- gateway can count every line that it loses. The count of bytes starts again at 0 when the stream is empty, because
-- Redis may have lost either of the two.
-- KEYS  1 stream  2 count of bytes
-- ARGV  1 limit of bytes  2 the page
-- Returns 1 when the page was appended, else 0.
local waiting = 0
if redis.call('XLEN', KEYS[1]) > 0 then
  waiting = math.max(0, tonumber(redis.call('GET', KEYS[2]) or 0))
end
if waiting + #ARGV[2] > tonumber(ARGV[1]) then return 0 end
redis.call('XADD', KEYS[1], '*', 'l', ARGV[2])
redis.call('SET', KEYS[2], waiting + #ARGV[2])
return 1
