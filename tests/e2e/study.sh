#!/usr/bin/env bash
# The study of sweeps/qk_norm.yaml, scaled down to seconds on synthetic text, with a pilot made here: its
# rules, definitions and robustness block as they stand in the file, a coarser grid and a tiny model.
# shellcheck source=../acceptance/lib.sh
. "$(dirname "$0")/../acceptance/lib.sh"
work_folder
cd "$work"

python3 - "$project/sweeps/qk_norm.yaml" <<'PY'
import re, sys
text = open(sys.argv[1]).read()
def swap(old, new):
    global text
    text, n = re.subn(old, new, text)
    assert n == 1, (old, n)
swap(r"per_decade: \[1, 1.7, 3, 5.5\]", "per_decade: [3]")
swap(r"n_embd: 256, n_head: 8, block_size: 256", "n_embd: 16, n_head: 2, block_size: 16")
swap(r"data: \{files: \[tinystories.txt\], tokenizer: char, val_fraction: 0.01\}",
     "data: {corpus: synthetic, synthetic_chars: 20000}")
swap(r"max_iters: 2000, batch_size: 32", "max_iters: 8, batch_size: 4")
swap(r"warmup_iters: 100,", "warmup_iters: 2,")
swap(r"train.warmup_iters: 400", "train.warmup_iters: 4")
swap(r"eval_interval: 50", "eval_interval: 2")
swap(r"eval_tokens: 131072", "eval_tokens: 256")
swap(r"mechanism_iters: \[0, 40, 100, 500, 1000, 2000\]", "mechanism_iters: [0, 4, 8]")
swap(r"train.learning_rate: \[3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1\]", "train.learning_rate: [3e-3, 3e-1]")
open("study.yaml", "w").write(text)
pilot = text[:text.index("\npilot:")] + "\n"
pilot = re.sub(r"seed: \[1, 2, 3\]", "seed: [901, 902]", pilot)
open("pilot.yaml", "w").write(pilot)
PY

expect_exit 0 "check" "$sweep" check study.yaml
grep -qi "pilot" out.txt || die "the absent pilot is not listed"
expect_exit 2 "the study is refused without its pilot" "$sweep" register study.yaml --allow-dirty
cat err.txt
expect_exit 0 "the pilot" "$sweep" run pilot.yaml -q
expect_exit 0 "registered with it" "$sweep" register study.yaml --allow-dirty
expect_exit 0 "the study" "$sweep" run study.yaml -q
mv out.txt study.txt
sed -n '/^Verdicts$/,/^By the registered/p' study.txt
expect_exit 0 "verified, the pilot's hash included" "$sweep" verify study.sweep
expect_exit 0 "the report as JSON" "$sweep" report --json study.sweep
mv out.txt study.json
"$sweep" report --json pilot.sweep > pilot.json
expect "every number is recomputed from the raw records and the kept pilot" \
  python3 "$project/tests/reference/recompute_report.py" study.json study.sweep

python3 - study.json pilot.json <<'PY'
import json, sys
study, pilot = (json.load(open(name)) for name in sys.argv[1:])
assert study["complete"] and [v["id"] for v in study["verdicts"]] == ["H1", "H2", "H3"]
assert study["seeds"] == [1, 2, 3] and pilot["seeds"] == [901, 902]
best = {row["stratum"]: row["mean"] for row in pilot["best"] if row["arm"] == "base"}
for row in study["convergence"]:
    assert abs(row["target"] - (best[row["stratum"]] + 0.05)) < 1e-12, (row, best)
robust = [table for table in study["tables"] if table["name"].startswith("robustness")]
assert len(robust) == 3, [table["name"] for table in study["tables"]]
PY
say "ok"
