#!/bin/sh
# Turns the doc comments of the library's public interface into a site in .build/docs. Any warning is an error.
#
# No plugin is needed: the toolchain's own tools extract the symbol graph of the built module, and convert it together
# with the catalogue in docs/PeerSync.docc. (`swift package dump-symbol-graph` does the same for every module, and fails
# on those that only run tests.)
set -eu
cd "$(dirname "$0")/.."

graphs=.build/docs-symbols
site=.build/docs
rm -rf "$graphs" "$site"
mkdir -p "$graphs"

swift build -c release --target PeerSync
modules=$(swift build -c release --show-bin-path)/Modules
triple=$(swiftc -print-target-info | sed -n 's/.*"triple": "\(.*\)",.*/\1/p' | head -n 1)
set -- -module-name PeerSync -target "$triple" -I "$modules" -output-dir "$graphs" \
  -minimum-access-level public -skip-synthesized-members -experimental-allowed-reexported-modules=PeerSyncCore
for map in Sources/C*/module.modulemap; do set -- "$@" -Xcc "-fmodule-map-file=$map"; done
swift-symbolgraph-extract "$@"

docc convert docs/PeerSync.docc \
  --additional-symbol-graph-dir "$graphs" --output-path "$site" --warnings-as-errors \
  --fallback-display-name PeerSync --fallback-bundle-identifier org.peersync.PeerSync
echo "docs: the site is in $site; look at it with: python3 -m http.server --directory $site"
