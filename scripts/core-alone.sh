#!/usr/bin/env bash
# Builds the core as a package of its own, which has nothing but its sources and a manifest of five lines.
set -euo pipefail
cd "$(dirname "$0")/.."

package=.build/core-alone
mkdir -p "$package/Sources"
cat >"$package/Package.swift" <<'MANIFEST'
// swift-tools-version: 6.2
import PackageDescription
let package = Package(
  name: "PeerSyncCore", products: [.library(name: "PeerSyncCore", targets: ["PeerSyncCore"])],
  targets: [.target(name: "PeerSyncCore")])
MANIFEST
rm -rf "$package/Sources/PeerSyncCore"
cp -R Sources/PeerSync/Core "$package/Sources/PeerSyncCore"
swift build --package-path "$package" --quiet
echo 'pure: the core stands alone'
