#!/usr/bin/env bash
# What QK-norm costs, and how a step's time grows with depth, in interleaved rounds of one process: the sizes
# of a pre-registration of shape B with both arms and depths 2 to 12, by `sweep bench FILE`.
#
#   speed-3.sh [ROUNDS] [SECONDS]      default 5 rounds of 3 s for each of the eight sizes
#
# Run it on an idle machine.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
work_folder
cd "$work"
rounds=${1:-5}
seconds=${2:-3}
cat > sizes.yaml <<'YAML'
title: Shape B at four depths
question: What do QK-norm and depth cost?
arms:
  base:   {model.qk_norm: none}
  qknorm: {model.qk_norm: rms_per_head}
grid:
  train.learning_rate: [1e-3]
  model.n_layer: [2, 4, 8, 12]
  seed: [1]
model: {n_embd: 128, n_head: 4, block_size: 128}
data: {corpus: synthetic, synthetic_chars: 20000}
train: {max_iters: 10, batch_size: 32}
measure: {eval_tokens: 512}
YAML
say "$rounds interleaved rounds, $seconds s a size"
for round in $(seq "$rounds"); do
  "$sweep" bench sizes.yaml --seconds "$seconds" --json > "$round.json"
done
python3 - "$rounds" <<'PY'
import json, statistics, sys
rounds = [{s["config"]: s["ms_per_step"] for s in json.load(open(f"{i + 1}.json"))["sizes"]}
          for i in range(int(sys.argv[1]))]
def show(what, values, unit):
    print(f"   {what}: median {statistics.median(values):.3f}{unit}, range {min(values):.3f}-{max(values):.3f}")
for depth in (2, 4, 8, 12):
    base, qknorm = f"base, L {depth}", f"qknorm, L {depth}"
    print(f"   depth {depth}: base {statistics.median(r[base] for r in rounds):.1f} ms a step")
    show(f"depth {depth}, QK-norm on over off", [r[qknorm] / r[base] for r in rounds], "")
for arm in ("base", "qknorm"):
    # A line through depths 2 and 12: how far the two between lie off it.
    for depth in (4, 8):
        off = []
        for r in rounds:
            low, high = r[f"{arm}, L 2"], r[f"{arm}, L 12"]
            off.append(r[f"{arm}, L {depth}"] / (low + (high - low) * (depth - 2) / 10))
        show(f"{arm}: depth {depth} over the line from 2 to 12", off, "")
    show(f"{arm}: ms per layer at 12 over 2", [(r[f"{arm}, L 12"] / 12) / (r[f"{arm}, L 2"] / 2) for r in rounds], "")
PY
say "ok"
