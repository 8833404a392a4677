#!/usr/bin/env bash
# The command line answers for itself: help, versions, typos, bad operands.
# shellcheck source=../acceptance/lib.sh
. "$(dirname "$0")/../acceptance/lib.sh"
work_folder
cd "$work"

expect_exit 0 "help" "$sweep" --help
mv out.txt help.txt
for verb in run resume report status check plan register amend explore note anchor verify data bench; do
  grep -q "^  $verb " help.txt || die "$verb is not listed"
  expect_exit 0 "help of $verb" "$sweep" "$verb" --help
  grep -q "usage: sweep $verb" out.txt || die "no usage of $verb"
done
expect_exit 0 "version" "$sweep" --version

say "typos name what was meant"
expect_exit 2 "a mistyped verb" "$sweep" reprot
grep -q "did you mean 'report'" err.txt || die "no suggestion: $(cat err.txt)"
expect_exit 2 "a mistyped option" "$sweep" status --jsn
grep -q -- "--json" err.txt || die "no suggestion: $(cat err.txt)"
expect_exit 2 "no guessing of prefixes" "$sweep" status --js

say "bad operands"
expect_exit 2 "no file" "$sweep" run
expect_exit 2 "a missing file" "$sweep" run missing.yaml
expect_exit 2 "no sweep here" "$sweep" report
expect_exit 2 "no jobs" "$sweep" run "$project/sweeps/smoke.yaml" -j 0
expect_exit 2 "a folder instead of a file" "$sweep" check "$work"

say "a reader that closes the pipe early ends nothing"
"$sweep" --help | head -n 1 > /dev/null
say "ok"
