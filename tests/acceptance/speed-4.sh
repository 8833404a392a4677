#!/usr/bin/env bash
# What the orchestrator, `status` and `report` cost on a sweep of 2,000 runs, with a stub in the trainer's
# place (SWEEP_TRAINER or the one of the build's tests): processor time per run, seconds for each reading verb.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
stub=${SWEEP_TRAINER:-$(dirname "$(readlink -f "$sweep")")/../tests/support/stub_trainer}
[ -x "$stub" ] || skip "no stub trainer at $stub"
export SWEEP_TRAINER=$stub
work_folder
cd "$work"
python3 - <<'PY'
seeds = ", ".join(str(seed) for seed in range(1, 21))
open("many.yaml", "w").write(f"""title: Two thousand runs
question: What does the machinery cost?
arms:
  base:   {{model.qk_norm: none}}
  qknorm: {{model.qk_norm: rms_per_head}}
grid:
  train.learning_rate: [1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1, 1, 3]
  model.n_layer: [1, 2, 3, 4, 5]
  seed: [{seeds}]
model: {{n_embd: 32, n_head: 2, block_size: 32}}
data: {{corpus: synthetic, synthetic_chars: 20000}}
train: {{max_iters: 5, batch_size: 8}}
measure: {{eval_tokens: 512}}
""")
PY
say "2,000 runs with a stub"
python3 - "$sweep" <<'PY'
import os, subprocess, sys, time
tick = os.sysconf("SC_CLK_TCK")
process = subprocess.Popen([sys.argv[1], "run", "many.yaml", "-q"], stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
own = 0.0
began = time.time()
while process.poll() is None:
    try:
        fields = open(f"/proc/{process.pid}/stat").read().rsplit(")", 1)[1].split()
        own = (int(fields[11]) + int(fields[12])) / tick  # its own, without its children
    except (FileNotFoundError, IndexError):
        pass
    time.sleep(0.02)
took = time.time() - began
assert process.returncode == 0, process.returncode
print(f"   {took:.1f} s, {1e3 * took / 2000:.2f} ms a run; the orchestrator's own processor time, its last report "
      f"included: {own:.1f} s, {1e3 * own / 2000:.2f} ms a run")
PY
say "the reading verbs"
for verb in "status" "report" "verify"; do
  python3 - "$sweep" "$verb" <<'PY'
import resource, subprocess, sys, time
began = time.time()
subprocess.run([sys.argv[1], sys.argv[2], "many.sweep"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"   {sys.argv[2]}: {time.time() - began:.2f} s, {used.ru_utime + used.ru_stime:.2f} s of processor time")
PY
done
say "ok"
