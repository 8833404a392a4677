#!/usr/bin/env bash
# An amendment after ten runs that adds one learning rate: all other runs keep their ids, no finished run
# is trained again or touched, the chain of hashes holds, and the report marks what the amendment touched.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
work_folder
cd "$work"

sed 's/max_iters: [0-9]*/max_iters: 200/' "$project/sweeps/smoke.yaml" > study.yaml
finished() { find study.sweep/runs -name result.json 2> /dev/null | wc -l; }
ten_finished() { [ "$(finished)" -ge 10 ]; }

say "the sweep, stopped when ten runs have finished"
set -m
"$sweep" run study.yaml -j 1 > /dev/null 2> run.log &
orchestrator=$!
wait_for 300 ten_finished
kill -INT "$orchestrator" 2> /dev/null || true
wait "$orchestrator" || true
set +m
seen=$(finished)
printf '   %s of %s runs have finished\n' "$seen" "$(wc -l < study.sweep/plan.jsonl)"
[ "$seen" -lt 16 ] || die "the sweep was complete before it could be amended"

# What must not change: every file of the finished runs, its time included.
snapshot() {
  for run in $(cat finished.txt); do
    stat -c '%n %Y %s' "study.sweep/runs/$run"/{result.json,attempts.jsonl,metrics.jsonl,final.safetensors}
    sha256sum "study.sweep/runs/$run"/*
  done
}
(cd study.sweep/runs && for f in */result.json; do dirname "$f"; done) > finished.txt
snapshot > before.txt
cp study.sweep/plan.jsonl plan.jsonl

say "one learning rate more"
sed 's/\[3e-3, 3e-1\]/[3e-3, 3e-2, 3e-1]/' study.yaml > changed.yaml
expect_exit 3 "the changed file is refused without an amendment" "$sweep" run changed.yaml -C study.sweep
grep -q "level 3e-2 added" err.txt || die "the difference is not named"
grep -q "sweep amend" err.txt || die "no word of 'sweep amend'"
expect_exit 2 "an amendment without a reason is refused" \
  "$sweep" amend study.sweep changed.yaml --what "one rate more"
expect_exit 0 "a dry run" "$sweep" amend study.sweep changed.yaml -n --what w --why y --impact i
[ ! -e study.sweep/amendments ] || die "a dry run recorded something"
expect_exit 0 "the amendment" "$sweep" amend study.sweep changed.yaml --what "one learning rate more" \
  --why "the two rates lie too far apart" --impact "max stable LR is known more closely"
sed 's/^/   /' out.txt
expect "plan.jsonl stays as it was registered" cmp plan.jsonl study.sweep/plan.jsonl
python3 - study.sweep "$seen" <<'PY'
import hashlib, json, sys
folder, seen = sys.argv[1], int(sys.argv[2])
amendment = json.load(open(f"{folder}/amendments/0001.json"))
plan = [json.loads(line)["id"] for line in open(f"{folder}/plan.jsonl")]
added = [spec["id"] for spec in amendment["added"]]
assert len(added) == 8 and amendment["removed"] == [], amendment
assert not set(added) & set(plan), "an added run was planned already"
assert all("lr3e-2" in run for run in added), added
assert len(amendment["seen"]["finished"]) == seen, amendment["seen"]
lock = open(f"{folder}/lock.json", "rb").read()
assert amendment["previous"] == hashlib.sha256(lock).hexdigest(), "the chain does not start at the lock"
print(f"   {len(plan)} registered ids kept, {len(added)} added, {seen} seen")
PY

say "carried on to the end"
"$sweep" resume study.sweep -q > report.txt 2> resume.log
[ "$(finished)" -eq 24 ] || die "$(finished) results, not 24"
snapshot > after.txt
expect "no finished run was touched or trained again" cmp before.txt after.txt
expect_exit 0 "the changed file now is what is in force" "$sweep" run changed.yaml -C study.sweep -q
snapshot > after.txt
expect "nor by running again" cmp before.txt after.txt

say "the report"
grep -q 'Amendments to the registration' report.txt || die "no table of amendments"
grep -q '3e-2 \[A1\]' report.txt || die "the added rate is not marked"
grep -q 'touched by amendment 1' report.txt || die "the mark is not explained"
grep -E '^ *3e-1 ' report.txt | grep -q '\[A1\]' && die "a registered rate is marked"
"$sweep" report study.sweep --json > report.json
python3 - report.json study.sweep <<'PY'
import json, sys
report = json.load(open(sys.argv[1]))
added = {s["id"] for s in json.load(open(f"{sys.argv[2]}/amendments/0001.json"))["added"]}
assert report["complete"] and report["planned"] == 24
assert set(report["touched"]["runs"]) == added, report["touched"]
assert all(t["after_data"] and t["amendment"] == 1 for t in report["touched"]["runs"].values())
assert report["amendments"][0]["impact"] == "max stable LR is known more closely"
print(f"   {len(added)} runs marked as added after data")
PY

say "the chain"
expect_exit 0 "verify" "$sweep" verify study.sweep
sed -i 's/too far apart/too far apart, we said so before/' study.sweep/amendments/0001.json
expect_exit 3 "a reason that was altered afterwards is found" "$sweep" verify study.sweep
say "ok"
