-- Renews the lease on entries that are still pending for this consumer: their idle time starts again.
-- KEYS  1 ready
-- ARGV  1 group  2 consumer  3… entry ids
-- Returns nothing.
if redis.call('EXISTS', KEYS[1]) == 0 then return end
for index = 3, #ARGV do
  local entry = ARGV[index]
  local mine = redis.pcall('XPENDING', KEYS[1], ARGV[1], entry, entry, 1, ARGV[2])
  if mine.err then return end
  if #mine > 0 then redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, entry, 'JUSTID') end
end
