#!/usr/bin/env bash
# Looks at what is installed as a distribution would: the package, its units, and the rules for Prometheus.
# Says by name what it leaves out because a tool or a right is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
skip() { echo "package: skipped $1: $2"; }

# What only this takes: the checkers of Debian, and promtool, of whose package no more than that is unpacked.
tools=.build/static/tools
if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
  missing=()
  command -v lintian >/dev/null || missing+=(lintian)
  command -v systemd-analyze >/dev/null || missing+=(systemd)
  if [ ${#missing[@]} -gt 0 ]; then
    echo "package: installing with apt-get: ${missing[*]}"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
  fi
  if ! command -v promtool >/dev/null && [ ! -x "$tools/usr/bin/promtool" ]; then
    mkdir -p "$tools"
    (cd "$tools" && apt-get download -qq prometheus 2>/dev/null && dpkg-deb --extract prometheus_*.deb .) || true
  fi
fi
PATH=$PATH:$PWD/$tools/usr/bin

package=$(scripts/deb.sh | tail -n 1)
echo "package: $package, $(($(stat -c %s "$package") / 1024)) KiB"
root=.build/static/root

if command -v lintian >/dev/null; then lintian --fail-on error "$package"; else skip lintian 'install lintian'; fi

person=$root/lib/systemd/user/peerd.service
if command -v systemd-analyze >/dev/null; then
  for unit in "$root/lib/systemd/system/peerd.service" "$person"; do
    level=$(systemd-analyze security --offline=true --no-pager "$unit" | tee /dev/stderr | awk '/Overall exposure level/ { print $(NF - 2) }')
    awk -v level="$level" 'BEGIN { exit !(level + 0 > 0 && level <= 1.5) }' || { echo "package: the exposure of $unit is $level, which is over 1.5"; exit 1; }
  done
else
  skip 'the sandbox of the units' 'install systemd'
fi
status=0
said=$(scripts/user-unit.sh "$root/usr/bin/peerd" "$person") || status=$?
case $status in
  0) echo "package: $said" ;;
  77) skip 'the unit of a person' "$said" ;;
  *) echo "package: $said"; exit 1 ;;
esac

if command -v promtool >/dev/null; then
  (cd packaging/prometheus && promtool check rules peersync.rules.yml && promtool test rules peersync.test.yml)
else
  skip 'the rules for Prometheus' 'install prometheus, for its promtool'
fi

# Unpacked where there is no toolchain: a device is made, runs, and says so to a service manager.
toolchain=$(dirname "$(dirname "$(dirname "$(readlink -f "$(command -v "${SWIFT:-swift}")")")")")
if [ "$(id -u)" -ne 0 ] || [ "$toolchain" = / ] || ! unshare --mount true 2>/dev/null; then
  skip 'a run without the toolchain' 'it takes root, mount namespaces, and a toolchain that is not in /usr'
else
  unshare --mount bash -euo pipefail -c '
    mount -t tmpfs none "$2"
    place=$(mktemp -d)
    trap "rm -rf \"$place\"" EXIT
    dpkg-deb --extract "$1" "$place/root"
    program=$place/root/usr/bin/peerd
    if ldd "$program" | grep -E "not found|libswift|libFoundation"; then exit 1; fi
    "$program" init --data "$place/device" --name Packed >/dev/null
    mkfifo "$place/ready"
    "$program" run --data "$place/device" --listen none >"$place/ready" 2>/dev/null &
    read -r line <"$place/ready"
    echo "package: without the toolchain: $line"
    "$program" status --data "$place/device" --json | jq -e .device.name >/dev/null
    kill "$!"
    wait "$!"
  ' bash "$package" "$toolchain"
fi
