#!/usr/bin/env bash
# Runs the fuzz targets, one after another: scripts/fuzz.sh [SECONDS [TARGET...]]
#
# SECONDS is how long each runs; without it all together run for a minute.
#
# Everything is built apart from the package, in .build/fuzz: the core and the readers of files with the fuzzer's counters,
# and each file of Fuzz/Targets against it. New inputs that reach something are kept there; an input that ends a run is
# named, and belongs into Fuzz/Corpus once it is understood.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-}
[ $# -eq 0 ] || shift
build=.build/fuzz
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
  for file in Fuzz/Targets/*.swift; do targets+=("$(basename "$file" .swift)"); done
fi

[ -n "$seconds" ] || seconds=$((60 / ${#targets[@]}))

mkdir -p "$build"
options=(-O -sanitize=fuzzer -swift-version 6 -package-name peersync -parse-as-library)
mapfile -t sources < <(find Sources/PeerSync/Core Sources/PeerSync/Drivers/Catalogue -name '*.swift')
swiftc "${options[@]}" -wmo -module-name PeerSync -emit-module -emit-module-path "$build/PeerSync.swiftmodule" \
  -c -o "$build/PeerSync.o" "${sources[@]}" Sources/PeerSync/API/InvitationURL.swift \
  Sources/PeerSync/Drivers/TLS/InvitationCode.swift Sources/PeerSync/Simulation/SimulatedCryptography.swift

# A crash is told by the fuzzer; Swift's own report would take longer than the run.
export SWIFT_BACKTRACE=enable=no
for target in "${targets[@]}"; do
  swiftc "${options[@]}" -module-name "$target" -I "$build" -o "$build/$target" \
    Fuzz/Support.swift "Fuzz/Targets/$target.swift" "$build/PeerSync.o"
  mkdir -p "$build/corpus/$target" "Fuzz/Corpus/$target"
  "$build/$target" -max_total_time="$seconds" -max_len=65536 -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 \
    -verbosity=0 -artifact_prefix="$build/$target-" "$build/corpus/$target" "Fuzz/Corpus/$target" 2>"$build/$target.log" \
    || { cat "$build/$target.log" >&2; echo "fuzz: $target failed" >&2; exit 1; }
  echo "fuzz: $target held: $(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$target.log") inputs"
done
