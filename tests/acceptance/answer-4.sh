#!/usr/bin/env bash
# Every statistic against SciPy and a count in plain Python; every number of `report --json` recomputed
# from the raw records by a program that shares no code with it. SWEEP_DIR names a finished sweep; without
# one the smoke test is trained. A Python with SciPy (ORACLE_PYTHON) compares the statistics anew.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
work_folder
golden=$project/tests/golden/statistics.json
python=${ORACLE_PYTHON:-$project/.venv/bin/python}
[ -x "$python" ] || python=python3

say "statistics"
code=0
"$python" "$project/tests/reference/statistics_oracle.py" --check "$golden" || code=$?
case $code in
  0) ;;
  77) say "no SciPy for $python: the committed values stand (pip install scipy)" ;;
  *) die "the golden values of the statistics are not what SciPy says" ;;
esac

if [ -n "${SWEEP_DIR-}" ]; then
  folder=$(cd "$SWEEP_DIR" && pwd -P)
else
  cp "$project/sweeps/smoke.yaml" "$work"
  (cd "$work" && timed "$sweep" run smoke.yaml > run.txt)
  folder=$work/smoke.sweep
fi

say "report --json of $folder"
cd "$work"
expect_exit 0 "report as JSON" "$sweep" report --json "$folder"
mv out.txt report.json
expect "every number is recomputed" \
  python3 "$project/tests/reference/recompute_report.py" report.json "$folder"

say "one digit falsified"
python3 - <<'PY'
import json
report = json.load(open("report.json"))
report["lr_sensitivity"][0]["mean"] *= 1 + 1e-9
json.dump(report, open("false.json", "w"))
PY
expect_exit 1 "it is noticed" \
  python3 "$project/tests/reference/recompute_report.py" false.json "$folder"
say "ok"
