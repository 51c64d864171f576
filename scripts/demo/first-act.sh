#!/usr/bin/env bash
# The first act: renewals bought apart add up, and who does not belong gets nothing.
#
#   scripts/demo/first-act.sh [CATALOG...]     peerd's JSON, an Xcode .storekit file, or both; default: examples/insomniowl.json
#
# Exit status 0 only if every step held.
set -euo pipefail
. "$(dirname "$0")/stage.sh"
devices=(Phone Tablet Mac)

expiry() { ask "$1" status | jq -r --arg line "$line" '.lines[] | select(.id == $line) | .expires // "none"'; }
digest() { ask "$1" status | jq -r .digest; }
show() {
  local device
  for device in "${devices[@]}"; do printf '   %-7s %s until %s\n' "$device" "$line" "$(expiry "$device")"; done
}

# Waits until every device has the digest of the first one and stands at the expiry: agree EXPIRY.
agree() {
  local device want=$1 common
  # Whoever is last to hear something decides what all must reach, so ask again until one digest holds everywhere.
  for _ in 1 2 3 4 5; do
    common=$(digest Phone)
    for device in "${devices[@]}"; do
      ask "$device" wait --digest "$common" --timeout 3 >/dev/null || continue 2
    done
    break
  done
  show
  for device in "${devices[@]}"; do
    [ "$(digest "$device")" = "$common" ] || fails "$device has another digest"
    [ "$(expiry "$device")" = "$want" ] || fails "$device stands at $(expiry "$device"), not at $want"
  done
  holds "all three agree: digest ${common:0:16}…"
}

# The instant a period after another, by the rule: months first, then days, each once. plus INSTANT MONTHS DAYS
plus() { date -u -d "${1%%T*} $2 months $3 days" "+%Y-%m-%dT${1#*T}"; }
months() { jq -rn --arg p "$1" '$p | [capture("(?<n>[0-9]+)(?<u>[YM])"; "g")] | map((.n | tonumber) * (if .u == "Y" then 12 else 1 end)) | add // 0'; }
days() { jq -rn --arg p "$1" '$p | [capture("(?<n>[0-9]+)(?<u>[WD])"; "g")] | map((.n | tonumber) * (if .u == "W" then 7 else 1 end)) | add // 0'; }

catalogs=("$@")
[ ${#catalogs[@]} -gt 0 ] || catalogs=(examples/insomniowl.json)
bundle=com.back40.InsomniOwl
[ $# -eq 0 ] || bundle=com.example.demo
options=()
for catalog in "${catalogs[@]}"; do
  [ -r "$catalog" ] || { printf 'demo: cannot read the catalogue %s\n' "$catalog" >&2; exit 1; }
  options+=(--catalog "$catalog")
done

# An Xcode file cannot say how long a non-renewing product lasts. If an example says it for these products, add that.
if [[ ${catalogs[*]} != *.json* ]]; then
  for example in examples/*.json; do
    jq -n --slurpfile said "$example" --slurpfile store "${catalogs[0]}" \
      '[$store[] | .. | .productID? // empty] as $ids | any($said[].products[].id; IN($ids[]))' 2>/dev/null | grep -q true || continue
    printf 'With %s, which says how long the products of %s last.\n' "$example" "${catalogs[0]}"
    options+=(--catalog "$example")
  done
fi

title "Three devices of one person, each a daemon of its own on this machine"
for device in "${devices[@]}"; do
  "$peerd" init --data "$work/$device" --name "$device" --bundle-id "$bundle" "${options[@]}" >"$work/init" 2>"$work/errors" \
    || fails "$device could not be made"
  start "$device"
  printf '   %-7s listens on %s\n' "$device" "$(jq -r .listen "$work/$device.ready")"
done
holds "running"

title "Pair them, by one-time invitations"
pair Phone Tablet Mac
holds "one group of three, every device connected to both others"

# Two non-renewing products of one line: the first pair that the catalogue offers.
products=$(ask Phone products)
pair=$(jq -c '[.products[] | select(.type == "nonRenewingSubscription" and .line != null and .period != null)]
  | group_by(.line) | map(select(length > 1)) | first // empty | .[:2]' <<<"$products")
[ -n "$pair" ] || fails "the catalogue has no two non-renewing subscriptions of one line: say \"line\" and \"period\" in peerd's JSON"
first=$(jq -r '.[0].id' <<<"$pair")
second=$(jq -r '.[1].id' <<<"$pair")
line=$(jq -r '.[0].line' <<<"$pair")
entitlement=$(jq -r '.[0].entitlements[0]' <<<"$pair")
first_period=$(jq -r '.[0].period' <<<"$pair")
second_period=$(jq -r '.[1].period' <<<"$pair")

# The first of this month: every month has one, so that the calendar of `date` can check the sums below.
bought=$(date -u +%Y-%m-01T00:00:00.000Z)

title "Cut Phone and Tablet off, and buy on each"
on Phone offline
on Tablet offline
on Phone buy "$first" --at "$bought"
first_id=$(jq -r .transaction.transactionId <<<"$answer")
on Tablet buy "$second" --at "$bought"
second_id=$(jq -r .transaction.transactionId <<<"$answer")
show
[ "$(expiry Phone)" = "$(plus "$bought" "$(months "$first_period")" "$(days "$first_period")")" ] || fails "Phone does not have $first_period"
[ "$(expiry Tablet)" = "$(plus "$bought" "$(months "$second_period")" "$(days "$second_period")")" ] || fails "Tablet does not have $second_period"
[ "$(digest Phone)" != "$(digest Tablet)" ] || fails "apart, they should disagree"
holds "they disagree: each knows its own purchase only"

title "Bring them back: the renewals add up, $first_period + $second_period"
on Phone online
on Tablet online
total_months=$(($(months "$first_period") + $(months "$second_period")))
total_days=$(($(days "$first_period") + $(days "$second_period")))
for device in "${devices[@]}"; do
  ask "$device" wait --peers 2 --timeout 15 >/dev/null || fails "$device did not come back"
done
agree "$(plus "$bought" "$total_months" "$total_days")"
printf '\n   %s%-6s $ peerd why %s%s\n' "$faint" Mac "$entitlement" "$plain"
"$peerd" why --data "$work/Mac" "$entitlement" | sed 's/^/   /'
why=$(ask Mac why "$entitlement")
for id in "$first_id" "$second_id"; do
  jq -e --arg id "$id" '[.. | objects | .transactionId? // empty] | index($id)' <<<"$why" >/dev/null || fails "the proof on Mac lacks $id"
done
holds "the proof on Mac, which bought nothing, counts both purchases"

title "Refund the second purchase: exactly that time goes"
on Tablet refund "$second_id"
agree "$(plus "$bought" "$(months "$first_period")" "$(days "$first_period")")"

title "Kill one with -9: nothing is lost"
on Phone buy "$second" --at "$bought"
third_id=$(jq -r .transaction.transactionId <<<"$answer")
printf '   %sPhone  $ kill -9 %s%s\n' "$faint" "${pids[Phone]}" "$plain"
kill -9 "${pids[Phone]}"
wait "${pids[Phone]}" 2>/dev/null || true
start Phone
ask Phone export | jq -e --arg id "$third_id" '[.. | objects | .transactionId? // empty] | index($id)' >/dev/null \
  || fails "Phone lost the purchase $third_id, which it had acknowledged"
for device in "${devices[@]}"; do
  ask "$device" wait --peers 2 --timeout 15 >/dev/null || fails "$device does not see both others again"
done
agree "$(plus "$bought" "$total_months" "$total_days")"

title "A stranger at the door gets a handshake, and not one byte more"
port=$(jq -r .listen "$work/Phone.ready")
printf '   %sanyone $ openssl s_client -connect %s -tls1_3 -alpn peersync/1%s\n' "$faint" "$port" "$plain"
timeout 10 openssl s_client -ign_eof -connect "$port" -tls1_3 -alpn peersync/1 </dev/null >"$work/stranger" 2>&1 || true
grep -o 'New, TLSv1.3.*' "$work/stranger" | head -1 | sed 's/^/   /'
grep -q 'New, TLSv1.3' "$work/stranger" || fails "the session is not TLS 1.3"
grep -qi 'alert' "$work/stranger" || fails "the stranger was not turned away"
holds "encrypted, and who shows no key of a member is turned away"

title "A forged purchase is refused"
now=$(date +%s)000
body() { basenc --base64url -w0 | tr -d '='; }
header=$(printf '{"alg":"ES256","x5c":["MAA=","MAA=","MAA="]}' | body)
payload=$(printf '{"transactionId":"666","originalTransactionId":"666","bundleId":"%s","productId":"%s","purchaseDate":%s,"originalPurchaseDate":%s,"quantity":1,"type":"Non-Renewing Subscription","signedDate":%s,"environment":"Sandbox"}' \
  "$bundle" "$second" "$now" "$now" "$now" | body)
printf '%s.%s.%s\n' "$header" "$payload" "$(head -c 64 /dev/zero | body)" >"$work/forged.jws"
printf '   %sMac    $ peerd ingest forged.jws%s\n' "$faint" "$plain"
if refused=$(ask Mac ingest "$work/forged.jws"); then fails "the forged purchase was taken"; fi
printf '   %s\n' "$(jq -r '.results[0].reason' <<<"$refused")"
agree "$(plus "$bought" "$total_months" "$total_days")"

title "Remove a stolen device"
on Phone remove Tablet
ask Phone wait --peers 1 --timeout 15 >/dev/null || fails "Phone lost Mac"
on Tablet buy "$first" --at "$bought"
jq -e '[.peers[] | select(.connected)] == []' <<<"$(ask Tablet status)" >/dev/null || fails "somebody still talks to Tablet"
devices=(Phone Mac)
agree "$(plus "$bought" "$total_months" "$total_days")"
holds "what Tablet had bought before still counts; what it does now reaches nobody"

title "Stop"
stop
holds "every daemon stopped cleanly"
