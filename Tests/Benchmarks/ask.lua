-- Has wrk send requests of one KIND about random people: profile, filter, list or patch.
-- Environment: KIND, AUTH (a header), PEOPLE (a number), and for patches IDS (a file of identifiers).
local kind, people, ids = os.getenv("KIND"), tonumber(os.getenv("PEOPLE")), {}
math.randomseed(7)
wrk.headers["Authorization"] = os.getenv("AUTH")
if kind == "patch" then
  for id in io.lines(os.getenv("IDS")) do ids[#ids + 1] = id end
  wrk.headers["Content-Type"] = "application/scim+json"
end
local count, bad = 0, 0
request = function()
  if kind == "profile" then
    return wrk.format("GET", string.format("/oic_rest/rest/userprofile/people/user%07d", math.random(people)))
  elseif kind == "filter" then
    return wrk.format("GET", string.format("/scim/v2/Users?filter=userName%%20eq%%20%%22user%07d%%22", math.random(people)))
  elseif kind == "list" then
    return wrk.format("GET", string.format("/scim/v2/Users?count=20&filter=title%%20eq%%20%%22Title%%20%d%%22", math.random(0, 49)))
  end
  count = count + 1
  local body = string.format('{"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"],"Operations":[{"op":"replace","path":"nickName","value":"n%d-%d"}]}', count, math.random(1e9))
  return wrk.format("PATCH", "/scim/v2/Users/" .. ids[math.random(#ids)], nil, body)
end
