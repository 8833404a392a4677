#!/usr/bin/env bash
# Rehearsing the study: the table of shares, and that a file whose H2 demands what its grid cannot show is
# refused. Needs no LibTorch and no text.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
work_folder
cd "$work"
study=$project/sweeps/qk_norm.yaml

say "hundreds of result sets of the study, judged by its rules"
timed "$sweep" rehearse "$study" --sets 200 --vocab 100 --sd 0.01 --jitter 0.02 | tee shares.txt
"$sweep" rehearse "$study" --sets 50 --vocab 100 --sd 0.01 --jitter 0.02 --json > shares.json 2> shares.log
share() {
  json shares.json "sum(row['$3'] for row in value['shares'] if row['world'] == '$1' and row['hypothesis'] == '$2')"
}
at_least() { python3 -c 'import sys; sys.exit(float(sys.argv[1]) < float(sys.argv[2]))' "$1" "$2"; }
for id in H1 H2 H3; do
  expect "$id is mostly supported under the expected effect" \
    at_least "$(share 'expected effect' "$id" supported)" 0.8
  for world in 'no effect' 'reversed effect'; do
    expect "$id is not supported under $world" test "$(share "$world" "$id" supported)" = 0.0
  done
  expect "$id never conflicts with itself under the expected effect" \
    test "$(share 'expected effect' "$id" registration_conflict)" = 0.0
done
expect "H2 is mostly contradicted when the effect is reversed" \
  at_least "$(share 'reversed effect' H2 contradicted)" 0.8

say "the full report on one simulated set"
"$sweep" rehearse "$study" --sets 1 --vocab 100 -o simulated > /dev/null 2> simulated.log
cat simulated.log
for table in simulated/tables/*.csv; do
  head -1 "$table" | grep -q 'stamp$' || die "$table carries no stamp"
  grep -q 'SIMULATED' "$table" || die "$table is not stamped"
done
expect "every table is stamped" grep -q 'SIMULATED' simulated/report.md

say "the study itself: admissible, its text and pilot undecided"
expect_exit 0 "the study passes its gates" "$sweep" check "$study"
cat out.txt
expect "the text is listed as undecided" grep -q "undecided: .*tinystories.txt" out.txt
expect "the pilot is listed as undecided" grep -q "undecided: pilot" out.txt
expect_exit 0 "each verdict of H2 has a constructed result set" "$sweep" check "$study" --explain H2
cat out.txt
expect "three of them" test "$(grep -c 'H2 comes out' out.txt)" = 3

say "H2 asks for a stable rate of 1, and the grid ends at 3e-1"
sed 's/{quantity: max_stable_lr, arm: qknorm, is: above, than: base,/{quantity: max_stable_lr, arm: qknorm, at_least: 1,/' \
  "$study" > demanding.yaml
expect_exit 2 "it is refused" "$sweep" check demanding.yaml
cat out.txt err.txt
expect "because no result set makes it come out supported" grep -q "H2 came out supported in none" err.txt
expect "and because the grid does not reach there" grep -q "grid_reach *REFUSED" out.txt

say "set aside with a reason, it is admitted and says so"
{
  cat demanding.yaml
  printf 'gates: {override: {outcomes: a second sweep goes higher, grid_reach: the same}}\n'
} > set_aside.yaml
expect_exit 0 "it is admitted" "$sweep" check set_aside.yaml
expect "the reason stands beside the gate" grep -q "a second sweep goes higher" out.txt
say "ok"
