#!/usr/bin/env bash
# Measures the server on PostgreSQL beside the server on a file, with the same people, in one run on one machine.
# Usage: serve_postgresql.sh [PEOPLE] [ROUNDS]     defaults: 100000, 3. SECONDS_EACH: how long each measurement takes, 4 s unless given.
# Needs Debian's postgresql, libpq5, wrk and curl. As root, PostgreSQL is started as the user postgres, since it refuses root.
set -euo pipefail
people=${1:-100000} rounds=${2:-3} seconds=${SECONDS_EACH:-4}
here=$(cd "$(dirname "$0")" && pwd) root=$(cd "$here/../.." && pwd)
bin=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)
as=; if [ "$(id -u)" = 0 ]; then as='setpriv --reuid=postgres --regid=postgres --init-groups'; fi
swift build --package-path "$root" -c release --product roster >&2
roster=$root/.build/release/roster
work=$(mktemp -d /tmp/serve-postgresql.XXXXXX); cd "$work"
chmod 711 "$work"
servers=()
stop() {
  kill "${servers[@]}" 2>/dev/null || true
  $as "$bin/pg_ctl" -D "$work/cluster/data" -m immediate -w stop >/dev/null 2>&1 || true
  rm -rf "$work"
}
trap stop EXIT

mkdir cluster
if [ -n "$as" ]; then chown postgres cluster; fi
(
  cd cluster
  $as "$bin/initdb" -D data -U roster -A trust --encoding=UTF8 --locale=C.UTF-8 --no-sync
  # The settings of shared/bench/pg_limits.sh.
  $as tee -a data/postgresql.conf <<CONF
listen_addresses = ''
unix_socket_directories = '$work/cluster'
shared_buffers = 512MB
max_connections = 80
max_wal_size = 4GB
random_page_cost = 1.1
CONF
  $as "$bin/pg_ctl" -D data -l log -w start
  $as "$bin/createdb" -h "$work/cluster" -U roster company
) > /dev/null
"$here/people.py" "$people" > people.csv
"$roster" import --database company.db people.csv >&2
database="postgresql://roster@/company?host=$work/cluster"
"$roster" copy --database company.db --to "$database" >&2
echo 'a long enough secret' > password

serve() { # PORT, DATABASE AND MORE OPTIONS
  "$roster" serve --listen "127.0.0.1:$1" --admin-password-file password --quiet --database "${@:2}" > "served-$1.txt" 2>&1 &
  servers+=($!)
  for _ in $(seq 200); do curl -sf -o /dev/null "http://127.0.0.1:$1/readyz" && return; sleep 0.1; done
  cat "served-$1.txt" >&2
  exit 1
}
serve 18091 company.db
serve 18092 "$database" --master-key key
export PEOPLE=$people IDS=$work/ids.txt
AUTH="Basic $(printf 'admin:a long enough secret' | base64)"
curl -sf -H "Authorization: $AUTH" "http://127.0.0.1:18091/oic_rest/rest/userprofile/people?pagesize=1000&attrsToFetch=guid" \
  | grep -o '"guid":"[^"]*"' | cut -d'"' -f4 > ids.txt
export AUTH

measure() { # NAME KIND CONNECTIONS
  local file database
  for round in $(seq "$rounds"); do
    file=$(each 18091 "$2" "$3")
    database=$(each 18092 "$2" "$3")
    awk -v name="$1" -v file="$file" -v database="$database" \
      'BEGIN {printf "%s file %.0f /s, PostgreSQL %.0f /s, ratio %.2f\n", name, file, database, database / file}'
  done
}
each() { # PORT KIND CONNECTIONS
  KIND=$2 wrk -t1 -c"$3" -d"${seconds}s" -s "$here/ask.lua" "http://127.0.0.1:$1" > out.txt
  if grep -q Non-2xx out.txt; then cat out.txt >&2; exit 1; fi
  awk '/Requests\/sec/ {print $2}' out.txt
}
measure http.profile_32 profile 32
measure http.profile_64 profile 64
measure http.list_of_20_32 list 32
measure http.patch_32 patch 32
