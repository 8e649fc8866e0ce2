#!/usr/bin/env bash
# Builds, computes everything anew, draws the pictures and writes RESULTS.md.
#
# usage: run.sh [--quick] [--minutes NUMBER]
#
# The result of every fit is kept under build/, by commit: after an interruption
# the same command computes what is missing. With --minutes no fit of a table
# begins later than that, and the tables say which repetitions are missing;
# --quick (small samples, two repetitions) prints to the terminal only.
set -euo pipefail

if [[ "${1:-}" == -h || "${1:-}" == --help ]]; then
  sed -n '2,/^set/{/^set/!s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
  exit 0
fi
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
root="$(cd "$here/../.." && pwd)"
build="$root/build/release"

cd "$root"
cmake --preset studies >&2
cmake --build "$build" --target reproduce_gskd --parallel "$(nproc)" >&2
program="$build/reproduce/gskd/reproduce_gskd"

commit="$(git -C "$root" rev-parse --short=12 HEAD 2>/dev/null || echo unknown)"
# What this script writes itself does not count as a change.
changes="$(git -C "$root" status --porcelain -- . ':!reproduce/gskd/RESULTS.md' ':!reproduce/gskd/pictures' 2>/dev/null || true)"
records="$build/reproduce/gskd/records-$commit"
# Code that is in no commit can be anything: nothing of it is kept.
[[ -z "$changes" ]] || { records="$(mktemp -d)"; trap 'rm -rf "$records"' EXIT; }

if [[ " $* " == *" --quick "* ]]; then
  "$program" all "$records" "$records/pictures" "$@"
  exit
fi
results="$records/RESULTS.md"
mkdir -p "$records"
{
  echo "# GSKD: results"
  echo
  echo "Written by \`reproduce/gskd/run.sh\` on $(date -u +%Y-%m-%d);" \
    "commit $commit${changes:+, with changes that were not committed};" \
    "$(lscpu | sed -n 's/^Model name: *//p' | head -n 1), $(nproc) cores. [README.md](README.md) explains the tables."
  echo
  "$program" all "$records" "$here/pictures" "$@"
} | tee "$results"
cat "$results" >"$here/RESULTS.md"
