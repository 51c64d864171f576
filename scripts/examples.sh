#!/usr/bin/env bash
# Builds and runs the packages in examples, as an app would. They share one build of the library, for debugging.
set -euo pipefail
cd "$(dirname "$0")/.."

swift=${SWIFT:-swift}
options=(--scratch-path .build/examples)

"$swift" test --package-path examples/ConvergenceTests "${options[@]}" "$@"

# An app with a device inside needs no library of the system's but SQLite and OpenSSL.
"$swift" build --package-path examples/Embedding "${options[@]}"
program=.build/examples/debug/Embedding
"$program"
linked=$(ldd "$program" | awk '$3 ~ "^/" && $3 !~ "/swift/" {sub(/\.so.*/, "", $1); print $1}' \
  | grep -vxE 'lib(c|m|stdc\+\+|gcc_s)' | sort | xargs)
[ "$linked" = "libcrypto libsqlite3 libssl" ] || { echo "examples: Embedding links $linked" >&2; exit 1; }
echo "examples: Embedding links $linked, and nothing else"
