#!/usr/bin/env bash
# Builds and runs every benchmark and writes benchmarks/RESULTS.md. Takes some thirty minutes
# and wants an otherwise idle machine. No argument: with the million rows; --short: without.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
cmake --preset studies >/dev/null
cmake --build build/release --parallel "$(nproc)" >/dev/null
# shellcheck source=python/environments.sh
source python/environments.sh
demo_environment
out=benchmarks/RESULTS.md
new="$(mktemp)"
trap 'rm -f "$new"' EXIT
commit="$(git rev-parse --short=12 HEAD)"
[[ -z "$(git status --porcelain -- src include benchmarks python)" ]] || commit="$commit with changes that were not committed"
{
  echo "# Benchmarks: results"
  echo
  echo "Written by \`benchmarks/run.sh\` on $(date +%F); commit $commit;" \
    "$(lscpu | sed -n 's/^Model name: *//p'), $(nproc) cores. What each program does stands at its head."
  section() {
    printf '\n## %s\n\n```text\n' "$*"
    build/release/benchmarks/"$@"
    printf '```\n'
  }
  section lscde_selection_benchmark
  section lscde_large_benchmark
  [[ "${1:-}" == --short ]] || section lscde_large_benchmark 1000000
  section forward_selection_benchmark
  section prediction_benchmark
  [[ "${1:-}" == --short ]] || section ekde_prediction_benchmark
  section nw_fit_benchmark
  section sacde_selection_benchmark
  [[ "${1:-}" == --short ]] || section sacde_selection_benchmark large
  section lsce_benchmark
  [[ "${1:-}" == --short ]] || section lsce_benchmark large
  python_section() {
    printf '\n## %s\n\n```text\n' "$1"
    build/python/demo/bin/python benchmarks/"$1" "$2"
    printf '```\n'
  }
  python_section python_door.py build/release/benchmarks/python_door_benchmark
  python_section python_markers.py build/release/cli/condens
} >"$new"
cp "$new" "$out"
cat "$out"
