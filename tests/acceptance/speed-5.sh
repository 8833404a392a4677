#!/usr/bin/env bash
# What the orchestrator takes for each of 1,000, 10,000 and 100,000 runs whose workers finish at once, on tmpfs.
#
#   speed-5.sh [RUNS...]
#
# BENCHMARK names tests/benchmarks/scheduling_benchmark of a build (default: the one that made `sweep`).
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
benchmark=${BENCHMARK:-$(dirname "$(readlink -f "$sweep")")/../tests/benchmarks/scheduling_benchmark}
[ -x "$benchmark" ] || skip "no benchmark at $benchmark"
[ ! -d /dev/shm ] || export TMPDIR=/dev/shm
work_folder
cd "$work"
[ $# -gt 0 ] || set -- 1000 10000 100000
for runs; do
  python3 - "$runs" <<'PY'
import sys
runs = int(sys.argv[1])
seeds = ", ".join(str(seed) for seed in range(1, runs // 20 + 1))
open(f"{runs}.yaml", "w").write(f"""title: {runs} runs
question: What does scheduling cost?
arms:
  base:   {{model.qk_norm: none}}
  qknorm: {{model.qk_norm: rms_per_head}}
grid:
  train.learning_rate: [1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1, 1, 3]
  seed: [{seeds}]
model: {{n_embd: 32, n_head: 2, block_size: 32}}
data: {{corpus: synthetic, synthetic_chars: 20000}}
train: {{max_iters: 5, batch_size: 8}}
measure: {{eval_tokens: 512}}
""")
PY
  "$sweep" register "$runs.yaml" --allow-dirty > /dev/null 2> "$work/register.log" || die "$(cat "$work/register.log")"
  "$benchmark" "$runs.sweep" > "$runs.json" 2> /dev/null || die "$runs runs: $(tail -n 1 "$runs.json")"
  python3 - "$runs.json" <<'PY'
import json, sys
line = json.load(open(sys.argv[1]))
assert line["finished"] == line["runs"], line
print(f"   {line['runs']} runs: {line['seconds']:.1f} s, {line['ms_per_run']:.3f} ms a run")
PY
  rm -rf "$runs.sweep"
done
say "ok"
