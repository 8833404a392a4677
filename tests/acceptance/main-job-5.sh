#!/usr/bin/env bash
# A file with ten different mistakes of meaning: all ten are reported at once, exit 2. Each mistake of
# syntax alone: its line and column, exit 2.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
work_folder
cd "$work"

say "ten mistakes of meaning in one file"
cat > ten.yaml <<'YAML'
title: ten mistakes
question: Are they all found?
arms:
  base: {model.qk_norm: none}
  qknorm: {model.qk_norm: rms_perhead}
grid:
  train.lerning_rate: [1e-3, 1e-2]
  model.n_layer: [1, 2, 2]
  seed: [one]
model: {n_embd: 010, n_head: "2", block_size: 16, bias: yes}
data: {corpus: synthetic, val_fraction: 1.5}
train: {max_iters: 20, max_iters: 30, batch_size: 2.5, grad_clip: .nan}
YAML
expect_exit 2 "a file with ten mistakes" "$sweep" check ten.yaml
mv err.txt ten.txt
cat ten.txt
problems=$(grep -c '^ten.yaml:[0-9]*:[0-9]*: ' ten.txt)
printf '   %s problems reported\n' "$problems"
[ "$problems" -ge 10 ] || die "only $problems problems"
for line in 5 7 8 9 10 11 12; do
  grep -q "^ten.yaml:$line:" ten.txt || die "nothing reported in line $line"
done
for word in rms_per_head learning_rate 010 quotes yes nan twice already; do
  grep -q -i -- "$word" ten.txt || die "no word of $word"
done

base=$(cat "$project/sweeps/smoke.yaml")
# syntax NAME LINE TEXT: TEXT alone is a file with one mistake, in that line.
syntax() {
  local name=$1 line=$2
  printf '%b' "$3" > "$name.yaml"
  expect_exit 2 "$name" "$sweep" check "$name.yaml"
  sed 's/^/   /' err.txt
  grep -q "^$name.yaml:$line:[0-9]*: " err.txt || die "$name: no place in line $line"
}
say "mistakes of syntax, one at a time"
syntax missing_comma 4 'title: t\ngrid:\n  seed: [1]\n  train.learning_rate: [1e-3 1e-2]\n'
syntax tab 3 'title: t\nmodel:\n\tn_layer: 2\n'
syntax bom 1 '\xef\xbb\xbftitle: t\n'
syntax crlf 1 'title: t\r\nquestion: q\r\n'
syntax merge 4 'title: t\nbase: &b {n_layer: 2}\nmodel:\n  <<: *b\n'
syntax second_document 3 'title: t\nquestion: q\n---\ntitle: u\n'
# A bracket that is never closed is missed where the file ends.
syntax open_bracket 3 'title: t\narms: {base: {model.qk_norm: none}\n'
printf '%s\n' "$base" > good.yaml
expect_exit 0 "the file they were made from is in order" "$sweep" check good.yaml
say "ok"
