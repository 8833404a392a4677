#!/usr/bin/env bash
# On Tiny Shakespeare (not part of the project; skipped without it): nanoGPT's laptop recipe ends inside
# 1.88-1.92 on the whole validation split for three seeds, and a small learning-rate sweep reproduces the
# LR-sensitivities of an independent implementation. SHAKESPEARE names the text.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
text=${SHAKESPEARE:-$project/../shared/data/tinyshakespeare.txt}
[ -f "$text" ] || skip "no Tiny Shakespeare at $text (set SHAKESPEARE)"
work_folder
cd "$work"
cp "$text" input.txt

say "nanoGPT's laptop recipe, three seeds"
cp "$project/sweeps/nanogpt_laptop.yaml" laptop.yaml
"$sweep" run laptop.yaml -q > laptop.txt
"$sweep" report laptop.sweep --json > laptop.json
python3 - laptop.json <<'PY'
import json, sys
report = json.load(open(sys.argv[1]))
losses = [run["final_val_loss"] for cell in report["cells"] if cell["arm"] == report["arms"][0]
          for run in cell["runs"]]
print("   final loss on the whole validation split:", ", ".join(f"{x:.4f}" for x in losses))
assert len(losses) >= 3, losses
assert all(1.88 <= x <= 1.92 for x in losses), losses
PY

say "two layers, 300 steps, two seeds, six learning rates"
cat > sensitivity.yaml <<'YAML'
title: LR-sensitivity of a 100k-parameter model on Tiny Shakespeare
question: Does the sensitivity reproduce?
arms:
  base: {model.qk_norm: none}
  qknorm: {model.qk_norm: rms_per_head}
grid:
  train.learning_rate: [1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1]
  seed: [1, 2]
model: {n_layer: 2, n_embd: 64, n_head: 2, block_size: 64}
data: {files: [input.txt], tokenizer: char, val_fraction: 0.1}
train: {max_iters: 300, batch_size: 16, warmup_iters: 30, weight_decay: 0.1, beta2: 0.95, grad_clip: 1.0}
measure: {eval_interval: 100, eval_tokens: 4096}
YAML
"$sweep" run sensitivity.yaml -q > sensitivity.txt
"$sweep" report sensitivity.sweep --json > sensitivity.json
python3 - sensitivity.json <<'PY'
import json, sys
report = json.load(open(sys.argv[1]))
mean = {row["arm"]: row["mean"] for row in report["lr_sensitivity"]}
print("   LR-sensitivity, mean over two seeds:", {arm: round(x, 3) for arm, x in mean.items()})
assert 0.30 <= mean["base"] <= 0.52, mean
assert 0.07 <= mean["qknorm"] <= 0.21, mean
PY
say "ok"
