#!/usr/bin/env bash
# Models on tables of 10,000 to 50,000 rows with categories, ties and caps, each at its defaults, on the same random
# splits; writes benchmarks/LARGE_TABLES.md. Takes some twenty minutes on two cores.
#
# usage: large_tables.sh DATA [REPEATS]
#        (DATA holds, the target last and rows with an empty field left out:
#        california_housing.csv.gz  Pace and Barry (1997), the 1990 US census by districts; values are capped
#        diamonds.csv.gz            of R's package ggplot2; three categories
#        bike_hour.csv.gz           Fanaee-T and Gama (2013), UCI "Bike Sharing", hours; the target is a count)
set -euo pipefail
if [[ $# -lt 1 || "$1" == -h || "$1" == --help ]]; then
  sed -n '2,/^set/{/^set/!s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
  exit
fi
data="$(cd "$1" && pwd)"
repeats="${2:-3}"
cd "$(dirname "${BASH_SOURCE[0]}")/.."
condens=build/release/cli/condens
out=benchmarks/LARGE_TABLES.md
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

models=auto,boost,forest,mdn,location_scale,lscde
{
  printf '# Larger tables\n\n'
  printf 'Written by `benchmarks/large_tables.sh`, whose head says what the sets are: each model at its defaults, a fifth\n'
  printf 'of the rows for the test, the same %s random splits for all; each fit on one core. Lower is better.\n\n' "$repeats"
  printf '%s; commit %s; %s, %s cores.\n' "$(date -u +%F)" "$(git rev-parse --short=12 HEAD)" \
    "$(lscpu | sed -n 's/^Model name: *//p')" "$(nproc)"
  for set in california_housing diamonds bike_hour; do
    gzip -dc "$data/$set.csv.gz" | grep -Ev ',,|,$' >"$work/$set.csv"
    target="$(head -n 1 "$work/$set.csv" | sed 's/.*,//')"
    printf '\n## %s: %s rows, target %s\n\n' "$set" "$(($(wc -l <"$work/$set.csv") - 1))" "$target"
    printf '| model | negative log likelihood | CRPS | coverage of 90 %% intervals | seconds of a fit |\n|---|---|---|---|---|\n'
    "$condens" compare "$work/$set.csv" --target "$target" --models "$models" --repeats "$repeats" --test-fraction 0.2 \
      2>>"$work/messages" | awk -F, 'NR > 1 {
        printf "| `%s` | %.4f ± %.4f | %.5g ± %.2g | %.3f | %.1f |\n", $2, $3, $4, $7, $8, $9, $11 }'
  done
} >"$work/table.md"
cp "$work/table.md" "$out"
cat "$out"
