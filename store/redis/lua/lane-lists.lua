-- Functions of the scripts that add to the lists of lanes; clock.lua comes before them. A full list takes no more: Postgres has every delivery, and
-- the lane's count in `overflow` says that the list must be refilled from there (lane-refiller.ts).

-- The more lanes of a partition have lists, the shorter each list may be.
local function findListBound(lanes, ofLane, ofPartition)
  return math.max(1, math.min(ofLane, math.floor(ofPartition / math.max(1, redis.call('ZCARD', lanes)))))
end

-- Adds a delivery to the end of a list. Returns 1 when it was added; 0: it was there, or there is no room.
local function defer(list, bound, overflow, endpoint, id)
  if redis.call('ZSCORE', list, id) then return 0 end
  if redis.call('ZCARD', list) < bound then return redis.call('ZADD', list, now, id) end
  redis.call('HINCRBY', overflow, endpoint, 1)
  return 0
end

