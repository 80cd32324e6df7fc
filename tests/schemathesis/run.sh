#!/usr/bin/env bash
# Lets schemathesis call every operation of `calendar-edge demo`, as the document describes it. See README.md.
#
# run.sh          the demo: every finding is an error
# run.sh strict   an edge with `profile = "strict"` in front of the demo's calendar: findings are to be read
# SEED=7 run.sh   other requests than those of the usual seed
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
profile=${1:-compatible}
user=demo
# Printed by `demo`, not a secret.
password='sand boxs ecre tcal enda redg'
budget=280 # seconds for all passes

work=$(mktemp -d)
started=()
finish() {
    for pid in "${started[@]}"; do
        kill "$pid" 2>/dev/null && wait "$pid" 2>/dev/null || true
    done
    rm -rf "$work"
}
trap finish EXIT

# Starts a program and waits until a line of its output matches; prints nothing, sets $found to the match.
start() {
    local log=$1 pattern=$2
    shift 2
    "$@" >"$log" 2>&1 &
    started+=($!)
    for _ in $(seq 100); do
        found=$(grep -oPm1 "$pattern" "$log" || true)
        if [ -n "$found" ]; then return; fi
        sleep 0.1
    done
    cat "$log" >&2
    echo "did not start: $*" >&2
    exit 2
}

cargo build --locked --quiet --manifest-path "$here/../../Cargo.toml"
target=$(cargo metadata --locked --no-deps --format-version 1 --manifest-path "$here/../../Cargo.toml" |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')
edge=$target/debug/calendar-edge
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$here/requirements.txt"

# Settings of the caller's shell are none of this run's.
for variable in $(compgen -e CALENDAR_EDGE_ || true); do unset "$variable"; done
cd "$work"
start demo.log '^calendar-edge listens on \K127\.0\.0\.1:\d+' "$edge" demo --listen 127.0.0.1:0 --admin-listen 127.0.0.1:0
address=$found
if [ "$profile" = strict ]; then
    origin=$(grep -oPm1 'behind it, at \K[^ ]+(?=\. Log in)' demo.log)
    printf 'listen = "127.0.0.1:0"\nprofile = "strict"\n[origin]\nurl = "%s"\nnamespace = "tribe/events/v1"\n' \
        "$origin" >edge.toml
    start serve.log 'listening for clients.*?\K127\.0\.0\.1:\d+' "$edge" serve --config edge.toml
    address=$found
fi
"$edge" print openapi >openapi.json

export EDGE_DOCUMENT=$work/openapi.json PYTHONPATH=$here PYTHONDONTWRITEBYTECODE=1 SCHEMATHESIS_HOOKS=exceptions
failed=0
pass() {
    echo "== $1"
    shift
    timeout $((budget - SECONDS + begun)) "$work/venv/bin/schemathesis" --config-file "$here/schemathesis.toml" --no-color \
        run openapi.json --url "http://$address/wp-json/calendar/events/v1" --seed "${SEED:-20261120}" "$@" || failed=1
}
begun=$SECONDS
pass "anonymous reads" --include-method GET --phases examples,coverage,fuzzing --exclude-checks ignored_auth
pass "everything, logged in" --auth "$user:$password" --phases examples,coverage,fuzzing,stateful
echo "== $profile: $([ $failed = 0 ] && echo clean || echo "findings, see above"), $((SECONDS - begun)) s"
exit $failed
