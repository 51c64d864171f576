#!/usr/bin/env bash
# The second act: an auto-renewable subscription through renewal, failed billing, grace, recovery and refund, in a store that
# runs on this machine; and two devices apart that cannot spend more than there is.
#
#   scripts/demo/second-act.sh
#
# Exit status 0 only if every step held.
set -euo pipefail
. "$(dirname "$0")/stage.sh"
devices=(Phone Tablet)
catalog=examples/plans.json

# Tells the store something: store VERB [ARGUMENT...].
store() {
  local verb=$1
  shift
  printf '   %sstore  $ peerd store %s%s\n' "$faint" "$verb${*:+ $*}" "$plain"
  "$peerd" store "$verb" --data "$work/store" --json "$@" >"$work/told" 2>"$work/errors" || fails "the store refused: $verb $*"
}

# Waits until every device says that something holds: everywhere JQ-FILTER WHAT.
everywhere() {
  local device end
  for device in "${devices[@]}"; do
    end=$((SECONDS + 20))
    until ask "$device" status | jq -e "$1" >/dev/null; do
      [ "$SECONDS" -lt "$end" ] || fails "$device does not say: $2"
      sleep 0.1
    done
  done
  for device in "${devices[@]}"; do
    printf '   %-7s %s\n' "$device" "$(ask "$device" status | jq -r "$shown")"
  done
  holds "$2"
}

# The day that the subscription is paid until, by the phone.
paid() { ask Phone status | jq -r '.subscriptions[0].expires[:10]'; }
entitled='(.entitlements[] | select(.id == "club") | .active) as $club | .subscriptions[0] as $plan'

# What is shown of each device.
shown='.subscriptions[0] | "club.monthly \(.state), paid until \(.expires[:10]), access until \(.accessUntil[:10])"'

title "A sandbox store, and two devices that buy there"
launch store store --data "$work/store" --http 127.0.0.1:0 --catalog "$catalog" --time-rate manual --json
url=$(jq -r .http "$work/store.ready")
printf '   store   sells on %s; its clock stands still until it is told\n' "$url"
for device in "${devices[@]}"; do
  "$peerd" init --data "$work/$device" --name "$device" --catalog "$catalog" >"$work/init" 2>"$work/errors" \
    || fails "$device could not be made"
  start "$device" --store "$url"
done
pair Phone Tablet
holds "running, and paired"

title "Subscribe on the phone"
on Phone buy club.monthly
everywhere "$entitled | \$club and \$plan.state == \"subscribed\"" "both are subscribed"
first=$(paid)

title "A month passes: it renews"
store advance P1M
everywhere "$entitled | \$club and \$plan.expires[:10] > \"$first\"" "both are paid for a month more"
second=$(paid)

title "The card is refused: grace, with access"
store fail-billing
store advance P1M
everywhere "$entitled | \$club and \$plan.state == \"inGracePeriod\"" "billing failed, and access goes on"
printf '\n   %sPhone  $ peerd status%s\n' "$faint" "$plain"
"$peerd" status --data "$work/Phone" | grep 'Owl club, a month' | sed 's/^/   /'

title "It is paid: recovered, without a gap"
store fix-billing
everywhere "$entitled | \$plan.state == \"subscribed\" and \$plan.expires[:10] > \"$second\"" "subscribed again, from where it ended"

title "It is refunded: access is gone at once"
store refund club.monthly
everywhere "$entitled | (\$club | not) and \$plan.state == \"revoked\"" "revoked on both"

shown='.credits[] | select(.id == "owls") | "owls \(.balance), can spend \(.available) at once"'

title "Five credits, and two devices apart that want three each"
on Phone buy RandomOwls
everywhere '[.credits[] | select(.id == "owls" and .balance == 5 and .available >= 2)] != []' \
  "five owls; each device may spend a part at once"
on Phone offline
on Tablet offline
spent=0 refused=''
for device in "${devices[@]}"; do
  printf '   %s%-6s $ peerd spend owls 3%s\n' "$faint" "$device" "$plain"
  if ask "$device" spend owls 3 >/dev/null; then spent=$((spent + 3)); else refused=$device; sed 's/^/   /' "$work/errors"; fi
done
[ "$spent" -eq 3 ] || fails "$spent owls were spent, apart, where one device held three"
holds "one had enough; $refused was told who holds the rest"
on Phone online
on Tablet online
for device in "${devices[@]}"; do
  ask "$device" wait --peers 1 --timeout 15 >/dev/null || fails "$device did not come back"
done
on "$refused" spend owls 2
everywhere '[.credits[] | select(.id == "owls" and .balance == 0 and .debt == 0)] != []' "all five are spent, and no more"

title "Stop"
stop
holds "the store and the daemons stopped cleanly"
