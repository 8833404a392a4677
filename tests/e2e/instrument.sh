#!/usr/bin/env bash
# The pre-registration as an instrument, with a stub in the trainer's place: register, run, notes, anchors,
# editorial amendments, exploratory and robustness runs, another machine.
# shellcheck source=../acceptance/lib.sh
. "$(dirname "$0")/../acceptance/lib.sh"
work_folder
cd "$work"

cat > study.yaml <<'YAML'
title: A study
question: Does the registration hold?
arms:
  base:   {model.qk_norm: none}
  qknorm: {model.qk_norm: rms_per_head}
grid:
  train.learning_rate: [1e-3, 1e-2, 1e-1]
  model.n_layer: [1, 2]
  seed: [1, 2]
model: {n_embd: 32, n_head: 2, block_size: 32}
data: {corpus: synthetic, synthetic_chars: 20000}
train: {max_iters: 5, batch_size: 8}
measure: {eval_tokens: 512}
definitions:
  ranges: {high: [1e-2, 1e-1]}
  gap: {of: final_val_loss, minuend: base, subtrahend: qknorm, average: range, per: seed}
hypotheses:
  H1: {claim: it helps, supported_if: {quantity: gap, range: high, at_least: 0.1, strata: all, seeds: all},
       contradicted_if: {quantity: gap, range: high, at_most: 0, strata: all, seeds: all}}
robustness:
  subset: {model.n_layer: [2], seed: [1], train.learning_rate: [1e-2]}
  change: [{train.warmup_iters: 2}]
YAML

say "registered, not run"
sed 's/\[1, 2\]$/[ ]/' study.yaml > open.yaml
expect_exit 2 "undecided places are refused" "$sweep" register open.yaml --allow-dirty
[ ! -e open.sweep ] || die "something was written"
if "$sweep" --version | grep -q modified; then
  expect_exit 3 "uncommitted code is refused" "$sweep" register study.yaml
  grep -q -- --allow-dirty err.txt || die "no word of --allow-dirty"
fi
expect_exit 0 "register" "$sweep" register study.yaml --allow-dirty
[ "$(cut -d ' ' -f 1 out.txt)" = "$(sha256sum < study.sweep/lock.json | cut -d ' ' -f 1)" ] ||
  die "another SHA-256 was printed: $(cat out.txt)"
[ -z "$(ls study.sweep/runs)" ] || die "something was run"
expect_exit 3 "a second time" "$sweep" register study.yaml --allow-dirty
expect_exit 0 "check as a document" "$sweep" check study.yaml --format md
grep -q '^\*\*Draft' out.txt || die "no word of a draft"
expect_exit 0 "the same of the sweep" "$sweep" check study.sweep --format md
for heading in Registration Hypotheses Grid 'Definitions in force' 'Analysis plan' 'Held fixed' Signatures; do
  grep -q "^## $heading" out.txt || die "no section $heading"
done

say "notes and anchors"
expect_exit 0 "a note" "$sweep" note "registered on a quiet evening"
expect_exit 2 "an empty note" "$sweep" note " "
expect_exit 0 "an anchor" "$sweep" anchor --url https://example.org/tag/v1
expect_exit 0 "the anchors on record" "$sweep" anchor
grep -q 'lock.json anchored: https://example.org/tag/v1' out.txt || die "$(cat out.txt)"
expect_exit 0 "a request for a time stamp" "$sweep" anchor --request
[ -s study.sweep/anchors/lock.tsq ] || die "no request was written"
expect_exit 2 "no time stamp" "$sweep" anchor --timestamp study.yaml

say "run carries a registered sweep on; robustness runs come last and stand apart"
expect_exit 0 "run" "$sweep" run study.yaml -q
[ "$(find study.sweep/runs -name result.json | wc -l)" -eq 26 ] || die "not 26 results"
grep -q 'Robustness under train.warmup_iters 2' out.txt || die "no robustness table"
grep -q 'registered on a quiet evening' out.txt || die "no note in the report"
grep -q 'https://example.org/tag/v1' out.txt || die "no anchor in the report"

say "an editorial amendment changes words, not runs"
sed 's/it helps/it helps a little/' study.yaml > words.yaml
expect_exit 3 "a changed claim is refused" "$sweep" run words.yaml -C study.sweep
expect_exit 0 "editorial" "$sweep" amend study.sweep words.yaml --editorial
expect_exit 0 "now it is in force" "$sweep" run words.yaml -C study.sweep -q
sed 's/at_least: 0.1/at_least: 0.05/' words.yaml > rule.yaml
expect_exit 3 "a changed rule is no matter of words" "$sweep" amend study.sweep rule.yaml --editorial

say "gates hold for what an amendment asks, too"
sed 's/at_least: 0.1/at_least: 100/' words.yaml > impossible.yaml
expect_exit 2 "a rule that no result can meet is refused" \
  "$sweep" amend study.sweep impossible.yaml --what rule --why try --impact H1
grep -q 'not admissible' err.txt || die "no word of the gates: $(cat err.txt)"
[ "$(find study.sweep/amendments -name '*.json' | wc -l)" -eq 1 ] || die "it was recorded"

say "exploratory runs are marked and enter no finding"
"$sweep" report study.sweep --json > before.json
sed 's/\[1e-3, 1e-2, 1e-1\]/[1]/; /^robustness/,$d' words.yaml > wild.yaml
expect_exit 0 "explore" "$sweep" explore study.sweep wild.yaml --why "how bad is 1?"
expect_exit 0 "a report is complete without them" "$sweep" report study.sweep
expect_exit 0 "resume" "$sweep" resume study.sweep -q
grep -q 'EXPLORATORY' out.txt || die "not marked"
"$sweep" report study.sweep --json > after.json
python3 - before.json after.json <<'PY'
import json, sys
before, after = (json.load(open(name)) for name in sys.argv[1:])
for key in ("planned", "cells", "best", "max_stable_lr", "lr_sensitivity"):
    assert before[key] == after[key], key
assert [a["kind"] for a in after["amendments"]] == ["editorial", "exploratory"]
PY

say "another machine goes on only by an amendment"
sed 's/seed: \[1, 2\]/seed: [1, 2, 3]/' words.yaml > more.yaml
expect_exit 0 "a seed more" "$sweep" amend study.sweep more.yaml --what seed --why power --impact none
export STUB_NUMERICS=elsewhere
expect_exit 3 "other numerics are refused" "$sweep" resume study.sweep -q
grep -q -- --accept-numerics err.txt || die "no way out is named"
expect_exit 0 "accepted" "$sweep" amend study.sweep --accept-numerics --what machine --why gone --impact none
expect_exit 0 "and carried on" "$sweep" resume study.sweep -q
expect_exit 0 "verify" "$sweep" verify study.sweep
cat out.txt
grep -q '4 amendments' out.txt || die "verify does not count amendments"
rm study.sweep/amendments/0004.json
expect_exit 3 "a dropped amendment is found" "$sweep" verify study.sweep
say "ok"
