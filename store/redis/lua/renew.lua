-- Renews the leases of entries that are pending for this consumer: their idle time starts again.
-- KEYS  1 ready
-- ARGV  1 group  2 consumer  3… entry ids
-- Returns the other entries: another consumer has them, they are finished, or Redis lost them or the group.
local lost = {}
for index = 3, #ARGV do
  local entry = ARGV[index]
  local pending = redis.pcall('XPENDING', KEYS[1], ARGV[1], entry, entry, 1, ARGV[2])
  if pending.err or #pending == 0 then
    lost[#lost + 1] = entry
  else
    redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, entry, 'JUSTID')
  end
end
return lost
