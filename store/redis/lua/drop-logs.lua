-- Removes pages of API logs after they were stored. Idempotent: each page is subtracted once.
-- KEYS  1 stream  2 count of bytes
-- ARGV  1 group  2… for each page: entry id, bytes
-- Returns how many bytes wait now.
for index = 2, #ARGV, 2 do
  redis.call('XACK', KEYS[1], ARGV[1], ARGV[index])
  if redis.call('XDEL', KEYS[1], ARGV[index]) == 1 then
    redis.call('DECRBY', KEYS[2], ARGV[index + 1])
  end
end
return tonumber(redis.call('GET', KEYS[2]) or 0)
