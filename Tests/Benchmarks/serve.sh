#!/usr/bin/env bash
# Measures the server against nginx and OpenLDAP's slapd, in one run on one machine, and prints each figure beside its bar.
# Usage: serve.sh [PEOPLE] [FOLDER]     defaults: 1000000, a cache folder of the user.
# Needs what shared/bench/limits.sh needs (gcc libsqlite3-dev nginx wrk slapd libldap-dev python3), and curl.
set -euo pipefail
people=${1:-1000000} cache=${2:-${XDG_CACHE_HOME:-$HOME/.cache}/roster-serve}
here=$(cd "$(dirname "$0")" && pwd) root=$(cd "$here/../.." && pwd)
limits=${LIMITS:-$root/../shared/bench/limits.sh}
seconds=${SECONDS_EACH:-6}
mkdir -p "$cache"; cd "$cache"

swift build --package-path "$root" -c release --product roster >&2
roster=$root/.build/release/roster
if [ ! -f "people-$people.db" ]; then
  "$here/people.py" "$people" > people.csv
  "$roster" import --database making.db people.csv >&2
  mv making.db "people-$people.db"; rm -f making.db-* people.csv
fi

[ -n "${KEEP_LIMITS:-}" ] || bash "$limits" "$people" > limits.txt
cat limits.txt
figure() { awk -v name="$1" '$1 == name { print $2 }' limits.txt; }

rm -f served.db served.db-*; cp "people-$people.db" served.db
echo 'a long enough secret' > password
"$roster" serve --database served.db --listen 127.0.0.1:18090 --admin-password-file password --quiet > served.txt 2>&1 &
server=$!
trap 'kill $server 2>/dev/null || true' EXIT
for _ in $(seq 200); do curl -sf -o /dev/null http://127.0.0.1:18090/readyz && break; sleep 0.1; done
export AUTH="Basic $(printf 'admin:a long enough secret' | base64)"
url=http://127.0.0.1:18090
curl -sf -o /dev/null -H "Authorization: $AUTH" $url/scim/v2/Me
cat served.db > /dev/null   # the system's cache is warm for slapd as well
sync  # or the first changes wait for the copy to reach the disk
echo "server.memory_at_start $(awk '/VmRSS/ {print int($2 / 1024)}' /proc/$server/status) MB"

export PEOPLE=$people
curl -sf -H "Authorization: $AUTH" "$url/oic_rest/rest/userprofile/people?pagesize=1000&attrsToFetch=guid" \
  | grep -o '"guid":"[^"]*"' | cut -d'"' -f4 > ids.txt
export IDS=$cache/ids.txt

# name, kind, connections
measure() {
  KIND=$2 wrk -t1 -c"$3" -d"${seconds}s" --latency -s "$here/ask.lua" $url > out.txt
  awk -v name="$1" '/Requests\/sec/ {printf "%s %.0f /s\n", name, $2} /99%/ {printf "%s.p99 %s\n", name, $2} /Non-2xx/ {printf "%s.REFUSED %s\n", name, $0}' out.txt
  last=$(awk '/Requests\/sec/ {print $2}' out.txt)
}
against() { awk -v name="$1" -v mine="$2" -v other="$3" -v bar="$4" 'BEGIN {printf "%s %.2f (bar %s)\n", name, mine / other, bar}'; }

measure server.profile profile 32
against server.profile_to_nginx "$last" "$(figure nginx.static_json_random_path)" 0.35
against server.profile_to_slapd "$last" "$(figure slapd.search_16_clients)" 2
measure server.scim_username_eq filter 32
against server.scim_username_eq_to_nginx "$last" "$(figure nginx.static_json_random_path)" 0.25
measure server.list_of_20_with_total list 32
against server.list_of_20_to_bar "$last" 5000 1
measure server.durable_patch patch 32
against server.durable_patch_to_slapd "$last" "$(figure slapd.modify_32_clients)" 5
measure server.profile_100_connections profile 100
echo "server.memory_after $(awk '/VmRSS/ {print int($2 / 1024)}' /proc/$server/status) MB (bar 80)"
echo "server.memory_peak $(awk '/VmHWM/ {print int($2 / 1024)}' /proc/$server/status) MB"
kill -TERM $server; wait $server && echo "server.stopped 0"
trap - EXIT
rm -f served.db served.db-*
