#!/usr/bin/env bash
# Result sets made by hand (no training): all seeds diverged, none, one missing, a tie, seven depths, ... and
# what each must be judged as, in files that a reader can check: tests/analysis/suite/*.txt hold the losses
# and the verdicts a person expects, tests/golden/suite/*.txt the findings and reasons printed for them.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
tests=$(ls -t "$project"/build/*/tests/study_tests 2> /dev/null | head -n 1)
[ -n "$tests" ] || skip "the tests are not built (./bootstrap test builds them)"

expect "every constructed result set is judged as a person would" \
  "$tests" --gtest_filter='*Suite*' --gtest_brief=1
for file in "$project"/tests/golden/suite/*.txt; do
  say "$(basename "$file" .txt)"
  sed -n 's/^# /   /p; /^verdicts$/,$p' "$file"
done
say "ok"
