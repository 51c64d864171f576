#!/usr/bin/env bash
# Builds and runs the packages in examples, as an app's own tests would be. Each builds the library once more, for debugging;
# they share one directory for it.
set -euo pipefail
cd "$(dirname "$0")/.."

for manifest in examples/*/Package.swift; do
  "${SWIFT:-swift}" test --package-path "$(dirname "$manifest")" --scratch-path .build/examples "$@"
done
