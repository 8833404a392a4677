#!/usr/bin/env bash
# The three verbs on the smallest sweep, as a user would type them.
# shellcheck source=../acceptance/lib.sh
. "$(dirname "$0")/../acceptance/lib.sh"
work_folder
cd "$work"
cp "$project/sweeps/smoke.yaml" .

expect_exit 0 "run" "$sweep" run smoke.yaml
mv out.txt run.txt
grep -q 'LR-sensitivity' run.txt || die "no table of LR-sensitivity"
grep -q -i 'max stable' run.txt || die "no table of max stable LR"
runs=$(wc -l < smoke.sweep/plan.jsonl)
[ "$(find smoke.sweep/runs -name result.json | wc -l)" -eq "$runs" ] || die "not every run has a result"
[ -z "$(find smoke.sweep/runs -name 'checkpoint-*')" ] || die "checkpoints were left behind"

expect_exit 0 "report" "$sweep" report
mv out.txt report.txt
expect_exit 0 "report as JSON" "$sweep" report --json
mv out.txt report.json
cp -r smoke.sweep/report first
expect_exit 0 "report again" "$sweep" report
expect "the same text" cmp report.txt out.txt
expect "the same files" diff -r first smoke.sweep/report

say "report --json against the raw records, recomputed here"
python3 - smoke.sweep report.json <<'PY'
import glob, json, os, sys
folder, report = sys.argv[1], json.load(open(sys.argv[2]))
plan = [json.loads(line) for line in open(f"{folder}/plan.jsonl")]
result = {r["id"]: json.load(open(f"{folder}/runs/{r['id']}/result.json")) for r in plan}
assert report["complete"] and report["planned"] == report["finished"] == len(plan), report
losses = {}
for cell in report["cells"]:
    for run in cell["runs"]:
        losses[cell["arm"], str(cell["stratum"]), run["seed"], cell["x"]] = run
assert len(losses) == len(plan), (len(losses), len(plan))
for row in report["lr_sensitivity"]:
    seeds = []
    for seed in sorted({key[2] for key in losses}):
        runs = [v for k, v in losses.items() if k[:3] == (row["arm"], str(row["stratum"]), seed)]
        capped = [min(r["final_val_loss"], r["initial_val_loss"]) if r["final_val_loss"] is not None
                  else r["initial_val_loss"] for r in runs]
        seeds.append(sum(capped) / len(capped) - min(capped))
    assert abs(sum(seeds) / len(seeds) - row["mean"]) < 1e-12, (row, seeds)
    assert all(abs(a - b) < 1e-12 for a, b in zip(seeds, row["per_seed"])), (row, seeds)
raw = sorted(r["final_val_loss"] for r in result.values())
shown = sorted(r["final_val_loss"] for r in losses.values())
assert raw == shown, "the report shows other losses than the results hold"
print(f"   {len(plan)} runs, {len(report['lr_sensitivity'])} sensitivities recomputed")
PY

before=$(cat smoke.sweep/runs/*/attempts.jsonl | wc -l)
expect_exit 0 "run again" "$sweep" run smoke.yaml -q
[ "$(cat smoke.sweep/runs/*/attempts.jsonl | wc -l)" -eq "$before" ] || die "a finished run was started again"

say "status, verify, and a copy elsewhere, read-only"
"$sweep" status
"$sweep" status --json | python3 -c 'import json, sys; assert json.load(sys.stdin)["schema_version"] == 1'
"$sweep" verify
mkdir elsewhere && cp -r smoke.sweep elsewhere/moved.sweep && chmod -R a-w elsewhere/moved.sweep
(cd elsewhere && "$sweep" status && "$sweep" verify)
chmod -R u+w elsewhere/moved.sweep

run=$(ls smoke.sweep/runs | head -n 1)
printf 'x' >> "smoke.sweep/runs/$run/metrics.jsonl"
expect_exit 3 "damage is found" "$sweep" verify
say "ok"
