#!/usr/bin/env bash
# On Tiny Shakespeare (not part of the project; skipped without it): a table measured before by an
# independent implementation, beside ours, with every difference; largest stable rates by three rules; the
# mechanism at the highest rate. SHAKESPEARE names the text, SWEPT a finished sweep of the same recipe.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
text=${SHAKESPEARE:-$project/../shared/data/tinyshakespeare.txt}
[ -f "$text" ] || skip "no Tiny Shakespeare at $text (set SHAKESPEARE)"
compare=$project/tests/acceptance/answer_2.py
work_folder
cd "$work"
cp "$text" input.txt

# recipe NAME LAYERS RATES WIDTH LENGTH BATCH UPDATES WARMUP
recipe() {
  cat > "$1.yaml" <<YAML
title: QK-norm at 100k parameters on Tiny Shakespeare
question: Does a table measured before reproduce?
arms:
  base: {model.qk_norm: none}
  qknorm: {model.qk_norm: rms_per_head}
grid:
  train.learning_rate: $3
  model.n_layer: $2
  seed: [1, 2, 3]
roles: {axis: train.learning_rate, stratum: model.n_layer, replicate: seed}
model: {n_embd: $4, n_head: 2, block_size: $5}
data: {files: [input.txt], tokenizer: char, val_fraction: 0.1}
train: {max_iters: $7, batch_size: $6, warmup_iters: $8}
measure: {eval_interval: 50, eval_tokens: $((64 * $5)), mechanism: [max_attention_logit, attention_entropy,
  kurtosis_rms_token, qk_rms], mechanism_iters: [0, $7]}
definitions:
  diverged: {any: [{rule: nonfinite}, {rule: final_loss_at_least, level: initial_val_loss}]}
  unusable: {any: [{rule: diverged}, {rule: degraded, by: 0.3, of: same_arm_and_stratum}]}
YAML
}

say "the smoke recipe, three seeds"
recipe smoke "[2]" "[3e-1]" 32 32 8 150 15
"$sweep" run smoke.yaml -q > smoke.txt
"$sweep" report smoke.sweep --json > smoke.json

say "two and four layers, 300 updates, three seeds, six learning rates"
if [ -n "${SWEPT-}" ]; then
  cp -r "$SWEPT" table.sweep
else
  recipe table "[2, 4]" "[1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1]" 64 64 16 300 30
  timed "$sweep" run table.yaml -q > table.txt
fi
"$sweep" report table.sweep --json > table.json
python3 "$compare" table.json table.sweep/data smoke.json
say "ok"
