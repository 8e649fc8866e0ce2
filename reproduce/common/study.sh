# shellcheck shell=bash
# What the run.sh of every paper has in common. Sourced; the head of run.sh says what it does, `--help` prints it.
#
#   study_takes_data "$@"; shift    # where a directory with data comes first: $data
#   study_builds                    # $program; $records, where what every fit gave is kept; $here, beside run.sh
#   study_is_quick "$@" && ...      # --quick: for the terminal only
#   study_writes TITLE COMMAND...   # RESULTS.md with its head
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[1]}")" && pwd)"
name="$(basename "$here")"
root="$(cd "$here/../.." && pwd)"

# study_usage STATUS: the comment at the head of run.sh.
study_usage() {
  sed -n '2,/^# shellcheck\|^source/{/^# shellcheck\|^source/!s/^# \{0,1\}//p}' "$here/run.sh"
  exit "$1"
}
[[ "${1:-}" != -h && "${1:-}" != --help ]] || study_usage 0

study_takes_data() {
  [[ $# -ge 1 ]] || study_usage 2
  [[ -d "$1" ]] || { echo "run.sh: '$1' is not a directory" >&2; exit 2; }
  data="$(cd "$1" && pwd)"
}

study_builds() {
  local build="$root/build/release"
  cd "$root"
  cmake --preset studies >&2
  cmake --build "$build" --target "reproduce_$name" --parallel "$(nproc)" >&2
  # shellcheck disable=SC2034  # for run.sh
  program="$build/reproduce/$name/reproduce_$name"
  # What the numbers are made of; the results, and the words about them, are no part of it.
  local sources=(CMakeLists.txt cmake include src plot reproduce/common "reproduce/$name"
                 ":!reproduce/$name/*.md" ":!reproduce/$name/pictures" ":!reproduce/$name/records")
  commit="$(git log --max-count=1 --abbrev=12 --format=%h -- "${sources[@]}" 2>/dev/null || echo unknown)"
  changes="$(git status --porcelain -- "${sources[@]}" 2>/dev/null || true)"
  records="$here/records"
  mkdir -p "$records"
  # Code that is in no commit can be anything: it reads what is kept, and nothing of its own is.
  [[ -n "$changes" || "$commit" == unknown ]] || return 0
  changes=yes
  records="$(mktemp -d)"
  trap 'rm -rf "$records"' EXIT
  cp -r "$here/records/." "$records"
}

study_is_quick() { [[ " $* " == *" --quick "* ]]; }

study_writes() {
  local title="$1"
  shift
  {
    echo "# $title: results"
    echo
    echo "Written by \`reproduce/$name/run.sh\` on $(date -u +%Y-%m-%d);" \
      "commit $commit${changes:+, with changes that were not committed};" \
      "$(lscpu | sed -n 's/^Model name: *//p' | head -n 1), $(nproc) cores. [README.md](README.md) explains the tables."
    echo
    "$@"
  } | tee "$root/build/release/reproduce/$name/RESULTS.md"
  cat "$root/build/release/reproduce/$name/RESULTS.md" >"$here/RESULTS.md"
}
