#!/usr/bin/env bash
# Measures sign-in beside what it is made of: ES256 signatures of `openssl speed`, and reads with a cached password.
# Usage: sign_in.sh     Needs wrk, curl, openssl and python3.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd) root=$(cd "$here/../.." && pwd)
seconds=${SECONDS_EACH:-6}
work=$(mktemp -d); cd "$work"
swift build --package-path "$root" -c release --product roster >&2
roster=$root/.build/release/roster
server=
trap 'if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; fi; rm -rf "$work"' EXIT

"$roster" seed --database r.db "$root/Seeds/company.json" > /dev/null
echo 'correct-horse-battery-9' > password
echo '{"grant_types":["client_credentials","password","refresh_token"],"scope":"openid profile offline_access directory","directory_role":"provisioning"}' > backend.json
"$roster" backend create --database r.db --name bench --settings backend.json > secrets 2> /dev/null
id=$(awk '/client_id/ {print $2}' secrets) secret=$(awk '/client_secret/ {print $2}' secrets)
"$roster" serve --database r.db --listen 127.0.0.1:18091 --admin-password-file password --quiet > out 2>&1 &
server=$!
url=http://127.0.0.1:18091
for _ in $(seq 100); do curl -sf -o /dev/null $url/readyz && break; sleep 0.1; done
export CLIENT="Basic $(printf '%s:%s' "$id" "$secret" | base64 -w0)"
export BASIC="Basic $(printf 'admin:correct-horse-battery-9' | base64 -w0)"
curl -sf -o /dev/null -H "Authorization: $BASIC" $url/scim/v2/Me
grant() { curl -sf -H "Authorization: $CLIENT" -d 'grant_type=password&username=admin&password=correct-horse-battery-9&scope=openid offline_access directory' $url/oauth2/token; }
token() { python3 -c "import json,sys; print(json.load(sys.stdin)['$1'])"; }
export TOKEN=$(grant | token access_token)
for _ in $(seq 32); do grant | token refresh_token; done > refresh.txt
cat > ask.lua <<'LUA'
-- wrk script: what KIND says. Each connection refreshes a token of its own, again and again.
local kind, form = os.getenv("KIND"), "application/x-www-form-urlencoded"
local client, tokens, turn, counter = os.getenv("CLIENT"), {}, 0, 0
function setup(thread) counter = counter + 1; thread:set("number", counter) end
function init()
  if kind == "refresh" then
    local line = 0
    for token in io.lines("refresh.txt") do line = line + 1; if line == number then tokens[1] = token end end
  end
end
request = function()
  if kind == "basic" then return wrk.format("GET", "/oic_rest/rest/userprofile/people/admin", {["Authorization"] = os.getenv("BASIC")}) end
  if kind == "bearer" then return wrk.format("GET", "/oic_rest/rest/userprofile/people/admin", {["Authorization"] = "Bearer " .. os.getenv("TOKEN")}) end
  local headers = {["Authorization"] = client, ["Content-Type"] = form}
  if kind == "client" then return wrk.format("POST", "/oauth2/token", headers, "grant_type=client_credentials&scope=directory") end
  if kind == "introspect" then return wrk.format("POST", "/oauth2/introspect", headers, "token=" .. os.getenv("TOKEN")) end
  return wrk.format("POST", "/oauth2/token", headers, "grant_type=refresh_token&refresh_token=" .. tokens[1])
end
response = kind == "refresh" and function(status, headers, body)
  local token = body:match('"refresh_token":"([^"]+)"')
  if token then tokens[1] = token end
end or nil
LUA
# name, kind, threads, connections
measure() {
  KIND=$2 wrk -t"$3" -c"$4" -d"${seconds}s" --latency -s ask.lua $url > wrk.txt
  awk -v name="$1" '/Requests\/sec/ {printf "%s %.0f /s\n", name, $2} /99%/ {printf "%s.p99 %s\n", name, $2} /Non-2xx/ {printf "%s.REFUSED %s\n", name, $0}' wrk.txt
  last=$(awk '/Requests\/sec/ {print $2}' wrk.txt)
}
against() { awk -v name="$1" -v mine="$2" -v other="$3" -v bar="$4" 'BEGIN {printf "%s %.2f (bar %s)\n", name, mine / other, bar}'; }

signatures=$(openssl speed -seconds 3 ecdsap256 2>/dev/null | awk '/nistp256/ {print $(NF - 1)}')
echo "openssl.es256_signatures $signatures /s"
measure signin.client_credentials client 1 32
against signin.client_credentials_to_signatures "$last" "$signatures" 0.3
measure signin.refresh refresh 32 32
against signin.refresh_to_bar "$last" 3000 1
# These are compared with each other: in turn, round by round, since the machine's speed changes from one second to the next.
for round in 1 2 3 4 5; do
  for kind in basic bearer introspect; do
    KIND=$kind wrk -t1 -c32 -d2s -s ask.lua $url | awk -v kind=$kind '/Requests\/sec/ {print kind, $2} /Non-2xx/ {print kind, "REFUSED", $0}'
  done
done > rounds.txt
awk '/REFUSED/ {print; exit 1} {sum[$1] += $2} END {
  printf "signin.basic_reads %.0f /s\nsignin.bearer_reads %.0f /s\nsignin.introspection %.0f /s\n", sum["basic"] / 5, sum["bearer"] / 5, sum["introspect"] / 5
  printf "signin.bearer_to_basic %.2f (bar 0.8)\nsignin.introspection_to_basic %.2f (bar 0.8)\n", sum["bearer"] / sum["basic"], sum["introspect"] / sum["basic"] }' rounds.txt
kill -TERM $server; wait $server && echo "server.stopped 0"
server=
python3 "$here/login.py" "$roster"
