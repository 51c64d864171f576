#!/usr/bin/env bash
# Installs the Debian packages that building, testing and the demo need, and says which; silent when all is there. With --browser
# also those that the tests of the pages need, which are skipped where there is no Chromium.
set -euo pipefail

packages=(libsqlite3-dev libmicrohttpd-dev libssl-dev libqrencode-dev libavahi-client-dev openssl pkg-config jq)
# The test network and power cuts take root; whoever is none skips them.
[ "$(id -u)" -ne 0 ] || packages+=(iproute2 nftables dbus avahi-daemon avahi-utils e2fsprogs mount python3 python3-dnspython)

if ! command -v swift >/dev/null; then
  echo "setup: there is no 'swift' on the PATH: install Swift 6.3 from https://www.swift.org/install/linux" >&2
  exit 1
fi

# Those of the packages that are not installed.
missing() {
  local package
  for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || echo "$package"
  done
}

install_missing() {
  local missing as_root=()
  mapfile -t missing < <(missing "$@")
  [ ${#missing[@]} -gt 0 ] || return 0
  if ! command -v apt-get >/dev/null; then
    echo "setup: install the equivalents of these Debian packages, then try again: ${missing[*]}" >&2
    return 1
  fi
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "setup: as root, run: apt-get install ${missing[*]}" >&2; return 1; }
    as_root=(sudo)
  fi
  echo "setup: installing with apt-get: ${missing[*]}"
  "${as_root[@]}" apt-get update -qq || return 1
  DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

install_missing "${packages[@]}"
if [ "${1:-}" = --browser ]; then
  install_missing chromium chromium-driver fonts-noto-cjk python3-venv \
    || echo 'setup: without Chromium the tests of the pages are skipped' >&2
fi
