"""Recomputes the numbers of `sweep report --json` from the records of the sweep, and compares.

    recompute_report.py REPORT_JSON SWEEP     exit 1 when a number differs or was not recomputed

Python's standard library only, written from the definitions (docs/definitions.md) without a look at
the C++ code. It reads prereg.yaml, plan.jsonl, amendments, runs/*/result.json, runs/*/metrics.jsonl and
data/*.bin, and nothing of the report before the comparison.
"""

import argparse
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from recompute.compare import Comparison
from recompute.expected import expected_report
from recompute.records import Sweep

# Not recomputed, each for a reason. A key that is in neither list is an error.
ALLOWED = {
    "schema_version": "a constant",
    "tables": "the same values laid out for readers; goldens of tests/report hold them",
    "**.reason": "text",
    "**.what": "text",
    "**.anchor": "text",
    "**.deviated": "where it hangs on the runs behind an unknown value",
    "**.deviations": "text",
    "**.does_not_show": "text",
    "**.unknown": "text",
    "**.settle": "text",
    "**.name": "text",
    "**.meaning": "text",
    "**.source": "text",
    "**.numbers": "beside a value that is unknown",
    "**.runs": "ids beside a value that is unknown",
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("report", help="what `sweep report --json SWEEP` printed")
    parser.add_argument("sweep", help="the folder of the sweep")
    args = parser.parse_args()
    with open(args.report, encoding="utf-8") as file:
        report = json.load(file)
    sweep = Sweep(args.sweep)
    comparison = Comparison(ALLOWED)
    comparison.compare(expected_report(sweep), report)
    for line in sweep.contradictions() + comparison.differences:
        print(f"DIFFERS {line}")
    print(comparison.summary())
    for path, why in comparison.skipped():
        print(f"not recomputed: {path} ({why})")
    return 1 if comparison.differences or sweep.contradictions() else 0


if __name__ == "__main__":
    sys.exit(main())
