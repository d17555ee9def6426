-- The clock of this server, in Unix milliseconds. All times of the webhook queues are times of this clock, and callers
-- give delays only, so that a process whose clock is wrong makes nothing due too late or too early.
local seconds, microseconds = unpack(redis.call('TIME'))
local now = seconds * 1000 + math.floor(microseconds / 1000)

