#!/usr/bin/env bash
# What PeerSync is for, with real daemons on this machine, in two acts.
#
#   scripts/demo.sh [CATALOG...]     what the first act sells: peerd's JSON, an Xcode .storekit file, or both
#
# Exit status 0 only if every step held.
set -euo pipefail
here=$(dirname "$0")/demo

printf 'First act: renewals bought apart add up, and who does not belong gets nothing.\n'
"$here/first-act.sh" "$@"
printf '\nSecond act: the life of a subscription, and credits that are not spent twice.\n'
"$here/second-act.sh"
printf '\nEvery step held.\n'
