#!/usr/bin/env bash
# Runs the tests in release, with any more options of `swift test`: scripts/test.sh [OPTION...]
#
# Thousands of lines tell how it goes; what failed is told once more as the last thing.
set -euo pipefail
cd "$(dirname "$0")/.."

log=$(mktemp)
trap 'rm -f "$log"' EXIT

status=0
"${SWIFT:-swift}" test -c release "$@" 2>&1 | tee "$log" || status=$?
if [ "$status" -ne 0 ]; then
  printf '\nWhat failed:\n'
  grep -A 3 'recorded an issue' "$log" || tail -n 20 "$log"
fi
exit "$status"
