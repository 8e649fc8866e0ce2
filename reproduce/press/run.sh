#!/usr/bin/env bash
# Builds, computes everything anew, draws the pictures and writes RESULTS.md.
#
# usage: run.sh DATA_DIRECTORY [--quick] [--minutes NUMBER]
#        (README.md lists the files; data sets that are not there are left out)
#
# The result of every fit is kept under build/, by commit: after an interruption
# the same command computes what is missing. With --minutes no fit of a part
# begins later than that, and the tables say which repetitions are missing;
# --quick (small samples, few repetitions) prints to the terminal only. Where
# PYTHON (python3 unless set) has scikit-learn, Table 1's other methods run, too.
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
python="${PYTHON:-python3}"

cd "$root"
cmake --preset studies >&2
cmake --build "$build" --target reproduce_press --parallel "$(nproc)" >&2
program="$build/reproduce/press/reproduce_press"

commit="$(git -C "$root" rev-parse --short=12 HEAD 2>/dev/null || echo unknown)"
# What this script writes itself does not count as a change.
changes="$(git -C "$root" status --porcelain -- . ':!reproduce/press/RESULTS.md' ':!reproduce/press/pictures' 2>/dev/null || true)"
records="$build/reproduce/press/records-$commit"
# Code that is in no commit can be anything: nothing of it is kept.
[[ -z "$changes" ]] || { records="$(mktemp -d)"; trap 'rm -rf "$records"' EXIT; }

mkdir -p "$records/mnist"
for file in "$data"/mnist/*-ubyte.gz; do
  [[ ! -f "$file" ]] || gzip -dc "$file" >"$records/mnist/$(basename "$file" .gz)"
done
if [[ " $* " == *" --quick "* ]]; then
  "$program" all "$data" "$records" "$records/pictures" "$@"
  exit
fi
results="$records/RESULTS.md"
{
  echo "# PRESS: results"
  echo
  echo "Written by \`reproduce/press/run.sh\` on $(date -u +%Y-%m-%d);" \
    "commit $commit${changes:+, with changes that were not committed};" \
    "$(lscpu | sed -n 's/^Model name: *//p' | head -n 1), $(nproc) cores. [README.md](README.md) explains the tables."
  echo
  for part in equations examples motorcycle abalone; do
    "$program" "$part" "$data" "$records" "$here/pictures" "$@"
  done
  if [[ -f "$data/abalone_tf_train.csv" ]] && "$python" -c 'import sklearn' 2>/dev/null; then
    if [[ ! -f "$records/rivals.md" ]]; then
      OMP_NUM_THREADS=1 "$python" "$here/rivals.py" "$data" >"$records/rivals.part"
      mv "$records/rivals.part" "$records/rivals.md"
    fi
    cat "$records/rivals.md"
  fi
  "$program" mnist "$data" "$records" "$here/pictures" "$@"
} | tee "$results"
cat "$results" >"$here/RESULTS.md"
