#!/usr/bin/env bash
# The demo answers its question: three verdicts with their reasons, the same in the printed report and in
# its JSON, and the same again from a program that shares no code with the report. SWEEP_DIR names a
# finished sweep of sweeps/demo.yaml; without one it is trained.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
work_folder
cd "$work"

if [ -n "${SWEEP_DIR-}" ]; then
  cp -r "$SWEEP_DIR" demo.sweep
else
  cp "$project/sweeps/demo.yaml" .
  timed "$sweep" run demo.yaml > run.txt
fi

expect_exit 0 "the report in words" "$sweep" report demo.sweep
mv out.txt report.txt
expect_exit 0 "the report as JSON" "$sweep" report --json demo.sweep
mv out.txt report.json
sed -n '/^Verdicts$/,/^$/p' report.txt

python3 - report.txt report.json <<'PY'
import json, re, sys
words = lambda text: re.sub(r"[\s│─]+", " ", text)
printed = words(open(sys.argv[1]).read().split("\nVerdicts\n")[1].split("By the registered rules")[0])
verdicts = json.load(open(sys.argv[2]))["verdicts"]
assert [v["id"] for v in verdicts] == ["H1", "H2", "H3"], verdicts
allowed = {"supported", "contradicted", "not supported", "inconclusive", "registration conflict"}
for v in verdicts:
    assert v["verdict"] in allowed and v["reason"], v
    assert v["id"] + " " + v["verdict"] in printed, (v["id"], v["verdict"])
    # The table wraps its text among the columns; every word of the reason must stand there in order.
    rest = printed
    for word in words(v["reason"]).split():
        assert word in rest, (v["id"], word)
        rest = rest[rest.index(word) + len(word):]
    runs = set()
    def walk(evidence):
        runs.update(evidence.get("runs", []))
        for part in evidence.get("parts", []):
            walk(part)
    walk(v["supported_if"]), walk(v["contradicted_if"])
    assert len(runs) > 0, "a verdict must name the runs it rests on"
    print(f"   {v['id']}: {v['verdict']}, from {len(runs)} runs")
PY
expect "an independent program comes to the same numbers and verdicts" \
  python3 "$project/tests/reference/recompute_report.py" report.json demo.sweep
say "ok"
