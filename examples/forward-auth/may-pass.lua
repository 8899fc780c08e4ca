-- Queries forward-auth.js about the client of a request; its status is in the variable req.may_pass, 0 for no response.
core.register_action("may-pass", { "http-req" }, function(request)
  local headers = { ["X-Real-IP"] = { request.f:src() } }
  local answer = core.httpclient():get({ url = "http://127.0.0.1:9090/", headers = headers, timeout = 1000 })
  request:set_var("req.may_pass", answer and answer.status or 0)
end)
