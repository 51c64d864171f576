#!/usr/bin/env bash
# Tests what homes do to networks, on networks of its own: scripts/network.sh [OPTION of swift test...]
# Without options it runs all but the storm.
set -euo pipefail
cd "$(dirname "$0")/.."

probe="peersync-$$-probe"
if [ "$(id -u)" -ne 0 ] || ! ip netns add "$probe" 2>/dev/null; then
  echo 'network: skipped Local network, Local network: discovery, Local network: captures and Storm: it takes root, and a system with network namespaces'
  exit 0
fi
ip netns delete "$probe"

# The tests take down what they make, and what runs that were killed have left. This is for a run that is killed now.
clean() {
  local name process
  for name in $(ip netns list | awk '/^peersync-/ { print $1 }'); do
    # Another run that is still at work keeps its own.
    process=${name#peersync-}
    kill -0 "${process%%-*}" 2>/dev/null && continue
    for process in $(ip netns pids "$name"); do kill -KILL "$process" 2>/dev/null || true; done
    ip netns delete "$name" || true
  done
}
trap clean EXIT
[ $# -gt 0 ] || set -- --filter "LocalNetworkTests|DiscoveryTests|CaptureTests"
scripts/test.sh --disable-testable-imports "$@"
