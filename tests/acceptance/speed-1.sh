#!/usr/bin/env bash
# Training speed against any rival command, in interleaved rounds: rival, ours, rival, ours, ... Prints the
# ratio of each round, their median and range, beside page faults, allocations and memory.
#
#   speed-1.sh [SHAPES] [ROUNDS] [SECONDS]     SHAPES such as "S B C A"; default B, 5 rounds of 10 s
#
# The rival is nanoGPT with every help that we give ourselves (memory kept, fast matrix product), from the
# folder RIVALS with bench_nanogpt.py, nanogpt/model.py and fast_gemm.c, by RIVAL_PYTHON, a Python with torch.
# RIVAL='command with {shape} and {seconds}' names another; it prints one JSON line with "tokens_per_s".
# OURS_OPTIONS are added to `sweep bench` (default: --path fused). LEAST fails the script when the median of a
# shape is below it. CORE is the core that both are pinned to, one after the other (default 0).
# Skipped where there is no rival. Run it on an idle machine.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
work_folder
shapes=${1:-B}
rounds=${2:-5}
seconds=${3:-10}
rivals=${RIVALS:-$project/../shared/rivals}
python=${RIVAL_PYTHON:-$project/.venv/bin/python}
read -r -a ours_options <<< "${OURS_OPTIONS:---path fused}"

if [ -z "${RIVAL:-}" ]; then
  [ -f "$rivals/bench_nanogpt.py" ] || skip "no rival at $rivals (set RIVALS or RIVAL)"
  "$python" -c 'import torch' 2> /dev/null || skip "$python has no torch (set RIVAL_PYTHON)"
  gcc -shared -fPIC -O2 "$rivals/fast_gemm.c" -o "$work/libfast_gemm.so"
  RIVAL="env LD_PRELOAD=$work/libfast_gemm.so MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=100000000000
    MALLOC_TOP_PAD_=67108864 $python $rivals/bench_nanogpt.py {shape} 1 {seconds}"
fi

rival() {
  local words=${RIVAL//\{shape\}/$1}
  read -r -d '' -a words <<< "${words//\{seconds\}/$seconds}" || true
  pinned "${words[@]}" | tail -n 1
}

for shape in $shapes; do
  say "shape $shape, $rounds interleaved rounds of $seconds s"
  for round in $(seq "$rounds"); do
    rival "$shape" > "$work/$shape-$round-rival.json"
    pinned "$sweep" bench "$shape" --seconds "$seconds" --json "${ours_options[@]}" \
      > "$work/$shape-$round-ours.json"
  done
  python3 - "$work/$shape" "$rounds" "${LEAST:-0}" <<'PY'
import json, statistics, sys
prefix, rounds, least = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
ratios = []
for i in range(1, rounds + 1):
    ours, rival = (json.load(open(f"{prefix}-{i}-{who}.json")) for who in ("ours", "rival"))
    ratios.append(ours["tokens_per_s"] / rival["tokens_per_s"])
    print(f"   round {i}: {ours['tokens_per_s']:.0f} tokens/s ({100 * ours['fma_share']:.0f} % of the "
          f"multiply-add peak), rival {rival['tokens_per_s']:.0f}, ratio {ratios[-1]:.3f}")
print(f"   page faults per step {ours['page_faults_per_step']:.1f}, rival {rival.get('faults_per_step', '?')}; "
      f"allocations per step {ours['allocations_per_step']:.1f}; peak RSS {ours['peak_rss_mb']:.0f} MB, "
      f"rival {rival.get('peak_rss_mb', '?')} MB; first step {ours['first_step_s']:.2f} s after the start")
if ours.get("ms_by_part"):
    print("   ms per step: " + ", ".join(f"{k} {v:.2f}" for k, v in ours["ms_by_part"].items()))
median = statistics.median(ratios)
print(f"   median {median:.3f}, range {min(ratios):.3f}-{max(ratios):.3f}")
assert median >= least, f"{median:.3f} is below {least}"
PY
done
say "ok"
