#!/usr/bin/env bash
# Runs the tests in release, with any more options of `swift test`: scripts/test.sh [OPTION...]
#
# Thousands of lines tell how it goes; what failed is told once more as the last thing. Tests that have not ended after
# PEERSYNC_TEST_MINUTES (45) are stopped, with a list of those that had begun and of what was running.
set -euo pipefail
cd "$(dirname "$0")/.."

minutes=${PEERSYNC_TEST_MINUTES:-45}
log=$(mktemp)

# Ends a process and all that it has started.
end() {
  local child
  for child in $(pgrep -P "$1"); do end "$child"; done
  kill -KILL "$1" 2>/dev/null || true
}

stop_when_late() {
  sleep "$((minutes * 60))"
  printf '\nThe tests have not ended after %s minutes. What is running:\n' "$minutes"
  ps -eo pid,ppid,etime,stat,wchan:24,args --forest | cut -c 1-200
  for child in $(pgrep -P $$ -f ' test '); do end "$child"; done
}

# The names of the tests that a kind of line tells of: names 'STARTED|ENDED...'
names() {
  sed -nE "s/^[^ ]+ Test (.*) ($1).*/\1/p" "$log" | sed -E 's/ with [0-9]+ test cases?$//' | grep -v '^case ' | sort -u
}

stop_when_late &
watchdog=$!
disown "$watchdog"
trap 'end "$watchdog"; rm -f "$log"' EXIT

# Whole lines, as they are written: those that a pipe would still hold tell what did not end. A sanitizer wants to be loaded first.
buffering=(stdbuf --output=L)
case " $* " in *" --sanitize "*) buffering=() ;; esac

status=0
"${buffering[@]}" "${SWIFT:-swift}" test -c release "$@" 2>&1 | tee "$log" || status=$?
if [ "$status" -ne 0 ]; then
  printf '\nWhat failed:\n'
  grep -A 3 'recorded an issue' "$log" || tail -n 20 "$log"
  printf '\nWhat had begun and not ended:\n'
  comm -23 <(names 'started\.') <(names 'passed after|failed after')
fi
exit "$status"
