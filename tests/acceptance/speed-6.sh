#!/usr/bin/env bash
# What it costs to measure the mechanism of the training batch on its way, all quantities at every tenth step, in
# interleaved rounds: without, with, without, ...
#
#   speed-6.sh [SHAPES] [ROUNDS] [SECONDS]      default "S B C A", 5 rounds of 10 s
#
# MOST fails the script when the median of a shape is above it (default 1.03). CORE is the core that all are pinned
# to (default 0). Run it on an idle machine.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
work_folder
shapes=${1:-S B C A}
rounds=${2:-5}
seconds=${3:-10}

bench() { pinned "$sweep" bench "$1" --path fused --json --seconds "$seconds" "${@:2}"; }

for shape in $shapes; do
  for qk_norm in none rms_per_head; do
    say "shape $shape, qk_norm $qk_norm, $rounds interleaved rounds of $seconds s"
    for round in $(seq "$rounds"); do
      bench "$shape" --qk-norm "$qk_norm" > "$work/$round-without.json"
      bench "$shape" --qk-norm "$qk_norm" --mechanism-every 10 > "$work/$round-with.json"
    done
    python3 - "$work" "$rounds" "${MOST:-1.03}" <<'PY'
import json, statistics, sys
folder, rounds, most = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
ratios = []
for i in range(1, rounds + 1):
    with_, without = (json.load(open(f"{folder}/{i}-{which}.json")) for which in ("with", "without"))
    # Steps 0, 10, 20, ... are measured: the cost of one, spread over ten.
    steps = with_["steps"]
    extra = (with_["ms_per_step"] - without["ms_per_step"]) * steps / ((steps + 9) // 10) / 10
    ratios.append(1 + extra / without["ms_per_step"])
    assert with_["loss_20"] == without["loss_20"], "measuring changed the training"
median = statistics.median(ratios)
print(f"   with over without: median {median:.4f}, range {min(ratios):.4f}-{max(ratios):.4f}")
assert median <= most, f"{median:.4f} is above {most}"
PY
  done
done
say "ok"
