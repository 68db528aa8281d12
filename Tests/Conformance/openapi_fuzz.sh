#!/bin/sh
# Holds the server against its own description: valid OpenAPI, and schemathesis finds nothing in three roles.
# usage: openapi_fuzz.sh ROSTER_BINARY [SECONDS]
# VENV names a Python environment with what requirements-openapi.txt lists; without it one is made. SEED repeats a run.
set -u
roster=$1
seconds=${2:-120}
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
work=$(mktemp -d)
server=
trap '[ -n "$server" ] && kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
passed=0
failed=0
check() { # NAME STATUS
    if [ "$2" -eq 0 ]; then passed=$((passed + 1)); echo "ok: $1"; else failed=$((failed + 1)); echo "FAILED: $1" | tee -a "$work/findings"; fi
}

if [ -z "${VENV:-}" ]; then
    VENV=$work/venv
    python3 -m venv "$VENV" && "$VENV/bin/pip" install -q -r "$here/requirements-openapi.txt" || exit 1
fi
SEED=${SEED:-1}
echo "seed $SEED, $seconds seconds"

export ROSTER_PASSWORD=correct-horse-battery-staple-9
echo "$ROSTER_PASSWORD" >"$work/password"
cat >"$work/schemathesis.toml" <<'TOML'
[generation]
database = "none"
[cache]
enabled = false
# The bodies are those of /scim/v2/Users/{id}.
[[operations]]
include-path = "/scim/v2/Me"
phases.coverage.enabled = false
TOML

start() { # Starts a server on a new database; prints nothing.
    rm -f "$work"/roster.db* "$work/out"
    "$roster" seed --database "$work/roster.db" "$root/Seeds/company.json" >/dev/null || exit 1
    ROSTER_KEEPER=$("$roster" token create --database "$work/roster.db" --name keeper --role administrator | grep -o 'roster_[^ ]*')
    ROSTER_TOKEN=$("$roster" token create --database "$work/roster.db" --name hr --role provisioning | grep -o 'roster_[^ ]*')
    export ROSTER_KEEPER
    "$roster" serve --database "$work/roster.db" --listen 127.0.0.1:0 --admin-password-file "$work/password" \
        >"$work/out" 2>"$work/log" &
    server=$!
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        ROSTER_URL=$(sed -n 's/^Roster serves //p' "$work/out" 2>/dev/null)
        [ -n "$ROSTER_URL" ] && break
        sleep 0.25
    done
    export ROSTER_URL
    ROSTER_ADMIN_ID=$(curl -s -u "admin:$ROSTER_PASSWORD" "$ROSTER_URL/scim/v2/Me" | sed 's/.*"id":"\([^"]*\)".*/\1/')
    export ROSTER_ADMIN_ID
}

stop() { # ROLE
    kill -TERM "$server"
    wait "$server"
    check "$1: the server stops with exit code 0" $?
    server=
    ! grep -q '"failure"' "$work/log"
    check "$1: no failure in the log" $?
    grep '"failure"' "$work/log" | head -3
}

phases() { # PERCENT of the time, PHASES, and the arguments that sign in
    limit=$((seconds * $1 / 100))
    names=$2
    shift 2
    # What runs longer than its own limit hangs: a stream of events that nobody ends, for one.
    (cd "$work" && SCHEMATHESIS_HOOKS=openapi_hooks PYTHONPATH=$here PYTHONDONTWRITEBYTECODE=1 \
        timeout $((limit + 60)) "$VENV/bin/schemathesis" --config-file "$work/schemathesis.toml" \
        run "$ROSTER_URL/openapi.json" -c all --phases "$names" --seed "$SEED" -n "${EXAMPLES:-5}" \
        --max-time "$limit" --request-timeout 10 --continue-on-failure --suppress-health-check all --warnings off \
        --no-color "$@" >"$work/phase.log" 2>&1)
    status=$?
    cat "$work/phase.log"
    # What was found is shown again at the end, since CI shows the last lines only.
    [ "$status" -eq 0 ] || sed -n '/^=* FAILURES/,/^=* SUMMARY/p' "$work/phase.log" | cut -c 1-400 | head -30 >>"$work/findings"
    check "$ROSTER_ROLE: schemathesis finds nothing ($names)" "$status"
}

fuzz() { # ROLE, how many percent of the calls must succeed, and the percents of the time for coverage and the other phases
    ROSTER_ROLE=$1
    least=$2
    coverage=$3
    others=$4
    ROSTER_COUNTS=$work/$1.json
    export ROSTER_ROLE ROSTER_COUNTS
    start
    case $ROSTER_ROLE in
    administrator) set -- -a "admin:$ROSTER_PASSWORD" ;;
    provisioning) set -- -H "Authorization: Bearer $ROSTER_TOKEN" ;;
    *) set -- ;;
    esac
    if [ "$ROSTER_ROLE" = administrator ]; then
        curl -s "$ROSTER_URL/openapi.json" >"$work/openapi.json"
        "$VENV/bin/openapi-spec-validator" "$work/openapi.json"
        check "the description is valid OpenAPI" $?
    fi
    phases "$coverage" coverage "$@"
    phases "$others" examples,fuzzing,stateful "$@"
    cat "$ROSTER_COUNTS" && echo
    # A part of the calls: how many there is time for, the machine decides.
    "$VENV/bin/python" - "$ROSTER_COUNTS" "$least" <<'PYTHON'
import json, sys
counts = json.load(open(sys.argv[1]))
calls = sum(count for name, count in counts.items() if name.endswith("xx"))
sys.exit(not counts.get("2xx") or counts["2xx"] * 100 < calls * int(sys.argv[2]))
PYTHON
    check "$ROSTER_ROLE: calls succeeded, and at least $least % of them" $?
    stop "$ROSTER_ROLE"
}

fuzz administrator 5 50 15
fuzz provisioning 5 10 15
fuzz nobody 0 10 10
[ ! -f "$work/findings" ] || cat "$work/findings"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
