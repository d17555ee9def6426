-- Gets payments by id, one after the other. Arguments: path, API key, a file with one id a line.
local requests = {}
local counter = 0

function init(args)
  local path, key, file = args[1], args[2], args[3]
  for id in io.lines(file) do
    requests[#requests + 1] = "GET " .. path .. "/" .. id .. " HTTP/1.1\r\nHost: 127.0.0.1\r\n"
      .. "Authorization: Bearer " .. key .. "\r\n\r\n"
  end
end

function request()
  counter = counter % #requests + 1
  return requests[counter]
end

function done(summary, latency, _)
  local e = summary.errors
  print(string.format(
    '{"requests":%d,"durationUs":%d,"errors":%d,"refused":%d,"p50Us":%d,"p99Us":%d,"maxUs":%d}',
    summary.requests, summary.duration, e.connect + e.read + e.write + e.timeout, e.status,
    latency:percentile(50), latency:percentile(99), latency.max))
end
