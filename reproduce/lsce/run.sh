#!/usr/bin/env bash
# Builds, computes what records/ do not hold, draws the pictures and writes RESULTS.md.
#
# usage: run.sh DATA_DIRECTORY [--quick] [--minutes NUMBER]
#        (README.md lists the files; data sets that are not there are left out)
#
# What every fit gave is kept in records/ here, and stands while a small fit of
# its method gives the same: the same command computes what is missing.
# With --minutes no fit of a part begins later than that, and the tables say
# which repetitions are missing; --quick (small samples, two repetitions) prints
# to the terminal only.
# shellcheck source=../common/study.sh
source "$(dirname "${BASH_SOURCE[0]}")/../common/study.sh"

study_takes_data "$@"
shift
study_builds
if study_is_quick "$@"; then
  "$program" all "$data" "$records" "$records/pictures" "$@"
else
  study_writes LSCE "$program" all "$data" "$records" "$here/pictures" "$@"
fi
