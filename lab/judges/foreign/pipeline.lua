-- Sixteen requests in one breath, as in the measurements of web frameworks.
init = function(args)
  local requests = {}
  for at = 1, 16 do requests[at] = wrk.format("GET", "/api/v1/todos?page=0&size=" .. at) end
  breath = table.concat(requests)
end

request = function() return breath end

done = function(summary)
  local errors = summary.errors
  io.write(string.format("answers %d errors %d\n", summary.requests,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
