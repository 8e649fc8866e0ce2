#!/usr/bin/env bash
# Builds and runs the benchmarks and writes benchmarks/RESULTS.md. Takes some thirty minutes and wants an otherwise
# idle machine.
#
# usage: run.sh [SECTION...]
#        (a section is a title of RESULTS.md, such as "lsce_benchmark large"; without any all are run, else the others
#        stay as they are; each says when and on what it was run)
set -euo pipefail
if [[ "${1:-}" == -h || "${1:-}" == --help ]]; then
  sed -n '2,/^set/{/^set/!s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
  exit
fi
cd "$(dirname "${BASH_SOURCE[0]}")/.."
sections=(
  "linear_algebra_benchmark"
  "lscde_selection_benchmark"
  "lscde_large_benchmark"
  "lscde_large_benchmark 1000000"
  "forward_selection_benchmark"
  "prediction_benchmark"
  "laws_benchmark"
  "ekde_prediction_benchmark"
  "nw_fit_benchmark"
  "nw_prediction_benchmark"
  "sacde_selection_benchmark"
  "sacde_selection_benchmark large"
  "markers_benchmark"
  "markers_benchmark 40 2000 tests"
  "markers_benchmark 1 10000 tests"
  "markers_benchmark 2 2000 stable"
  "lsce_benchmark"
  "lsce_benchmark large"
  "press_benchmark"
  "press_rivals.py"
  "gskd_benchmark"
  "gskd_rivals.py"
  "compression_benchmark"
  "parzen_benchmark"
  "parzen_rivals.py"
  "rsde_benchmark"
  "mdn_rivals.py"
  "mdn_training_benchmark"
  "forest_rivals.py"
  "boost_rivals.py"
  "python_door.py"
  "python_markers.py"
  "gmm_benchmark.py"
  "row_sums_benchmark 1000000 10000000"
  "row_sums_benchmark 30000000"
  "kqr_benchmark"
  "kqr_rivals.R"
)
wanted=("$@")
[[ $# -gt 0 ]] || wanted=("${sections[@]}")

# is_one_of TEXT TEXTS...
is_one_of() {
  local text="$1" other
  shift
  for other in "$@"; do [[ "$other" != "$text" ]] || return 0; done
  return 1
}
for title in "${wanted[@]}"; do
  is_one_of "$title" "${sections[@]}" || { echo "run.sh: there is no section '$title'" >&2; exit 2; }
done

cmake --preset studies >/dev/null
cmake --build build/release --parallel "$(nproc)" >/dev/null
if [[ " ${wanted[*]} " == *".py "* ]]; then
  # shellcheck source=python/environments.sh
  source python/environments.sh
  demo_environment build/release
fi
out=benchmarks/RESULTS.md
new="$(mktemp)"
trap 'rm -f "$new"' EXIT
commit="$(git rev-parse --short=12 HEAD)"
changes="$(git status --porcelain -- src include benchmarks python ":!$out")"
[[ -z "$changes" ]] || commit="$commit with changes that were not committed"
machine="$(lscpu | sed -n 's/^Model name: *//p'), $(nproc) cores"

run_section() {
  local python=build/python/demo/bin/python programs=build/release/benchmarks words
  read -ra words <<<"$1"
  case "$1" in
    gskd_rivals.py) "$python" benchmarks/gskd_rivals.py build/release/cli/condens ;;
    parzen_rivals.py) "$python" benchmarks/parzen_rivals.py "$programs/parzen_benchmark" ;;
    press_rivals.py) "$python" benchmarks/press_rivals.py "$programs/press_search_benchmark" ;;
    mdn_rivals.py) "$python" benchmarks/mdn_rivals.py "$programs/mdn_benchmark" reproduce/common/data/Boston.csv ;;
    python_door.py) "$python" benchmarks/python_door.py "$programs/python_door_benchmark" ;;
    kqr_rivals.R)
      if command -v Rscript >/dev/null; then
        Rscript benchmarks/kqr_rivals.R "$programs/kqr_benchmark"
      else
        echo 'Rscript is not installed: no comparison with kernlab'
      fi
      ;;
    gmm_benchmark.py | forest_rivals.py | boost_rivals.py) "$python" "benchmarks/$1" ;;
    python_markers.py) "$python" benchmarks/python_markers.py build/release/cli/condens ;;
    *) "$programs/${words[0]}" "${words[@]:1}" ;;
  esac
}

{
  printf '# Benchmarks: results\n\nWritten by `benchmarks/run.sh`. What each program does stands at its head.\n'
  for title in "${sections[@]}"; do
    if is_one_of "$title" "${wanted[@]}"; then
      printf '\n## %s\n\n%s; commit %s; %s.\n\n```text\n' "$title" "$(date -u +%F)" "$commit" "$machine"
      run_section "$title"
      printf '```\n'
    else
      printf '\n%s\n' "$(awk -v title="## $title" '/^## / { on = $0 == title } on' "$out")"
    fi
  done
} >"$new"
cp "$new" "$out"
cat "$out"
