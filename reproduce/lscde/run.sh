#!/usr/bin/env bash
# Builds, computes everything anew, draws the pictures and writes RESULTS.md.
#
# usage: run.sh DATA_DIRECTORY [--quick] [--minutes NUMBER]
#        (see ../common/fetch_data.sh; data sets that are not there are left out)
#
# The result of every fit is kept under build/, by commit: after an interruption
# the same command computes what is missing. With --minutes no fit of a part
# begins later than that, and the tables say which repetitions are missing;
# --quick (small samples, two repetitions) prints to the terminal only.
set -euo pipefail

if [[ $# -lt 1 || "$1" == -h || "$1" == --help ]]; then
  sed -n '2,/^set/{/^set/!s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
  [[ "${1:-}" == -h || "${1:-}" == --help ]] && exit 0 || exit 2
fi
[[ -d "$1" ]] || { echo "run.sh: '$1' is not a directory" >&2; exit 2; }
data="$(cd "$1" && pwd)"
shift
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
root="$(cd "$here/../.." && pwd)"
build="$root/build/release"

cd "$root"
cmake --preset studies >&2
cmake --build "$build" --target reproduce_lscde --parallel "$(nproc)" >&2
program="$build/reproduce/lscde/reproduce_lscde"

commit="$(git -C "$root" rev-parse --short=12 HEAD 2>/dev/null || echo unknown)"
# What this script writes itself does not count as a change.
changes="$(git -C "$root" status --porcelain -- . ':!reproduce/lscde/RESULTS.md' ':!reproduce/lscde/pictures' 2>/dev/null || true)"
records="$build/reproduce/lscde/records-$commit"
# Code that is in no commit can be anything: nothing of it is kept.
[[ -z "$changes" ]] || { records="$(mktemp -d)"; trap 'rm -rf "$records"' EXIT; }

if [[ " $* " == *" --quick "* ]]; then
  "$program" all "$data" "$records" "$records/pictures" "$@"
  exit
fi
results="$records/RESULTS.md"
mkdir -p "$records"
{
  echo "# LS-CDE: results"
  echo
  echo "Written by \`reproduce/lscde/run.sh\` on $(date -u +%Y-%m-%d);" \
    "commit $commit${changes:+, with changes that were not committed};" \
    "$(lscpu | sed -n 's/^Model name: *//p' | head -n 1), $(nproc) cores. [README.md](README.md) explains the columns."
  echo
  "$program" all "$data" "$records" "$here/pictures" "$@"
} | tee "$results"
cat "$results" >"$here/RESULTS.md"
