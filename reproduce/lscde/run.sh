#!/usr/bin/env bash
# Builds, computes everything anew, draws the pictures and writes RESULTS.md.
#
# usage: run.sh DATA_DIRECTORY      (see ../common/fetch_data.sh; data sets that are not there are left out)
set -euo pipefail

if [[ $# -ne 1 || "$1" == -h || "$1" == --help ]]; then
  sed -n '2,/^set/{/^set/!s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
  [[ "${1:-}" == -h || "${1:-}" == --help ]] && exit 0 || exit 2
fi
[[ -d "$1" ]] || { echo "run.sh: '$1' is not a directory" >&2; exit 2; }
data="$(cd "$1" && pwd)"
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
root="$(cd "$here/../.." && pwd)"
build="$root/build/release"

cd "$root"
cmake --preset studies >&2
cmake --build "$build" --target reproduce_lscde --parallel "$(nproc)" >&2

commit="$(git -C "$root" rev-parse --short=12 HEAD 2>/dev/null || echo unknown)"
# What this script writes itself does not count as a change.
changes="$(git -C "$root" status --porcelain -- . ':!reproduce/lscde/RESULTS.md' ':!reproduce/lscde/pictures' 2>/dev/null || true)"
results="$(mktemp)"
trap 'rm -f "$results"' EXIT
{
  echo "# LS-CDE: results"
  echo
  echo "Written by \`reproduce/lscde/run.sh\` on $(date -u +%Y-%m-%d);" \
    "commit $commit${changes:+, with changes that were not committed};" \
    "$(lscpu | sed -n 's/^Model name: *//p' | head -n 1), $(nproc) cores. [README.md](README.md) explains the columns."
  echo
  "$build/reproduce/lscde/reproduce_lscde" all "$data" "$here/pictures"
} | tee "$results"
cat "$results" >"$here/RESULTS.md"
