# What the acts of the demonstration share: daemons that are stopped at the end, and how steps are told. Sourced by them.
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

peerd=${PEERD:-$PWD/.build/release/peerd}
work=$(mktemp -d "${TMPDIR:-/tmp}/peersync-demo-XXXXXX")
declare -A pids=()
step=0

if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
  bold=$'\e[1m' faint=$'\e[2m' good=$'\e[32m' bad=$'\e[31m' plain=$'\e[0m'
else
  bold='' faint='' good='' bad='' plain=''
fi

finish() {
  status=$?
  trap - EXIT
  for device in "${!pids[@]}"; do kill "${pids[$device]}" 2>/dev/null || true; done
  wait 2>/dev/null || true
  rm -rf "$work"
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT TERM

title() { step=$((step + 1)); printf '\n%s%d. %s%s\n' "$bold" "$step" "$1" "$plain"; }
holds() { printf '   %s✓%s %s\n' "$good" "$plain" "$1"; }
fails() {
  printf '   %s✗ %s%s\n' "$bad" "$1" "$plain" >&2
  [ -s "$work/errors" ] && sed 's/^/     /' "$work/errors" >&2
  exit 1
}

# Runs a command on a device and shows it: on DEVICE COMMAND [ARGUMENT...]; the JSON lands in $answer.
on() {
  local device=$1
  shift
  printf '   %s%-6s $ peerd %s%s\n' "$faint" "$device" "$*" "$plain"
  answer=$(ask "$device" "$@") || fails "peerd $* on $device failed"
}

# The same without showing it: ask DEVICE COMMAND [ARGUMENT...].
ask() {
  local device=$1 command=$2
  shift 2
  "$peerd" "$command" --data "$work/$device" --json "$@" 2>"$work/errors"
}

# Runs a device: start DEVICE [OPTION...].
start() {
  local device=$1
  shift
  launch "$device" run --data "$work/$device" --listen 127.0.0.1:0 --json "$@"
}

# Runs peerd in the background until it is ready: launch NAME ARGUMENT...; the ready line lands in $work/NAME.ready.
launch() {
  local name=$1 ready="$work/$1.ready"
  shift
  : >"$ready"
  "$peerd" "$@" >"$ready" 2>>"$work/$name.log" &
  pids[$name]=$!
  # The ready line is the first thing it prints; an end without one is a failure.
  until [ -s "$ready" ]; do
    kill -0 "${pids[$name]}" 2>/dev/null || { cp "$work/$name.log" "$work/errors"; fails "$name did not start"; }
    sleep 0.02
  done
}

# Pairs devices with a first one: pair HOST DEVICE...
pair() {
  local host=$1 device url
  shift
  for device in "$@"; do
    on "$host" invite
    url=$(jq -r .url <<<"$answer")
    on "$device" join "$url"
  done
  for device in "$host" "$@"; do
    ask "$device" wait --peers $# --timeout 15 >/dev/null || fails "$device does not see all others"
  done
}

# Stops everything, and sees that it stopped cleanly.
stop() {
  local name
  for name in "${!pids[@]}"; do
    kill -TERM "${pids[$name]}"
    wait "${pids[$name]}" || fails "$name did not stop cleanly"
    unset "pids[$name]"
  done
}
