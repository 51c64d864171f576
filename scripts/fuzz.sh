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
build=$PWD/.build/fuzz
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
  for file in Fuzz/Targets/*.swift; do targets+=("$(basename "$file" .swift)"); done
fi

[ -n "$seconds" ] || seconds=$((60 / ${#targets[@]}))

# Only what the targets reach: the core, and of the two modules above it the files that need no C library.
library=$PWD/Sources/PeerSync
rm -rf "$build/objects"
mkdir -p "$build/objects"
options=(-O -sanitize=fuzzer -swift-version 6 -package-name peersync -parse-as-library -I "$build")

# Compiles a module: NAME FILE... One object for each source, so that all processors have something to do.
module() {
  mkdir "$build/objects/$1"
  (
    cd "$build/objects/$1"
    swiftc "${options[@]}" -wmo -num-threads "$(nproc)" -module-name "$1" -emit-module \
      -emit-module-path "$build/$1.swiftmodule" -c "${@:2}"
  )
}

mapfile -t core < <(find "$library/Core" -name '*.swift')
mapfile -t catalogue < <(find "$library/Device/Catalogue" -name '*.swift')
for file in Phrase SentenceLanguage Catalogue+Told JSONError+Told; do
  catalogue+=("$library/Device/API/Sentences/$file.swift")
done
module PeerSyncCore "${core[@]}"
module PeerSync "$library/Device/Exports.swift" "${catalogue[@]}" "$library/Device/API/InvitationURL.swift" \
  "$library/Device/TLS/InvitationCode.swift"
module PeerSyncSimulation "$library/Simulation/SimulatedCryptography.swift"
printf '%s\0' "${targets[@]}" | xargs -0 -P "$(nproc)" -I '{}' swiftc "${options[@]}" -module-name '{}' \
  -o "$build/{}" Fuzz/Support.swift 'Fuzz/Targets/{}.swift' "$build"/objects/*/*.o

# A crash is told by the fuzzer; Swift's own report would take longer than the run.
export SWIFT_BACKTRACE=enable=no
for target in "${targets[@]}"; do
  mkdir -p "$build/corpus/$target" "Fuzz/Corpus/$target"
  "$build/$target" -max_total_time="$seconds" -max_len=65536 -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 \
    -verbosity=0 -artifact_prefix="$build/$target-" "$build/corpus/$target" "Fuzz/Corpus/$target" 2>"$build/$target.log" \
    || { cat "$build/$target.log" >&2; echo "fuzz: $target failed" >&2; exit 1; }
  echo "fuzz: $target held: $(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$target.log") inputs"
done
