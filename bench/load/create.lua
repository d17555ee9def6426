-- Creates with a key and a body that no other request has. wrk hands over what follows `--`:
-- path, API key, a word that no other run uses. Prints one JSON line at the end.
local counter = 0
local head, middle, tail

function init(args)
  local path, key, run = args[1], args[2], args[3]
  head = "POST " .. path .. " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    .. "Authorization: Bearer " .. key .. "\r\nContent-Length: %d\r\nIdempotency-Key: bench-" .. run .. "-"
  middle = "\r\n\r\n" .. '{"amount":"'
  tail = '","currency":"IDR","payment_method":"QRIS","customer_name":"Budi Santoso",'
    .. '"description":"Order of the benchmark","reference_id":"ref-' .. run .. "-"
  -- The amount has 6 digits and the number 9, so every body has one length; 4 is the empty line.
  head = string.format(head, #middle - 4 + 6 + #tail + 9 + 2)
end

function request()
  counter = counter + 1
  local number = string.format("%09d", counter)
  return head .. number .. middle .. (100000 + counter % 899999) .. tail .. number .. '"}'
end

function done(summary, latency, _)
  local e = summary.errors
  print(string.format(
    '{"requests":%d,"durationUs":%d,"errors":%d,"refused":%d,"p50Us":%d,"p99Us":%d,"maxUs":%d}',
    summary.requests, summary.duration, e.connect + e.read + e.write + e.timeout, e.status,
    latency:percentile(50), latency:percentile(99), latency.max))
end
