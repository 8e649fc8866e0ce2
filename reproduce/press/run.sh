#!/usr/bin/env bash
# Builds, computes what records/ do not hold, draws the pictures and writes RESULTS.md.
#
# usage: run.sh DATA_DIRECTORY [--quick] [--minutes NUMBER]
#        (README.md lists the files; data sets that are not there are left out)
#
# What every fit gave is kept in records/ here, and stands while a small fit of
# its method gives the same: the same command computes what is missing.
# With --minutes no fit of a part begins later than that, and the tables say
# which repetitions are missing; --quick (small samples, few repetitions) prints
# to the terminal only. Where PYTHON (python3 unless set) has scikit-learn,
# Table 1's other methods run, too.
# shellcheck source=../common/study.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common/study.sh"

study_takes_data "$@"
shift
study_builds
mkdir -p "$records/mnist"
for file in "$data"/mnist/*-ubyte.gz; do
  [[ ! -f "$file" ]] || gzip -dc "$file" >"$records/mnist/$(basename "$file" .gz)"
done

all_tables() {
  local part python="${PYTHON:-python3}"
  for part in equations examples statements motorcycle abalone; do
    "$program" "$part" "$data" "$records" "$here/pictures" "$@"
  done
  if [[ -f "$data/abalone_tf_train.csv" ]] && "$python" -c 'import sklearn' 2>/dev/null; then
    OMP_NUM_THREADS=1 "$python" "$here/rivals.py" "$data" "$records"
  fi
  "$program" mnist "$data" "$records" "$here/pictures" "$@"
}

if study_is_quick "$@"; then
  "$program" all "$data" "$records" "$records/pictures" "$@"
else
  study_writes PRESS all_tables "$@"
fi
