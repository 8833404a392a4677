#!/usr/bin/env bash
# Speed of one training process at shape B, one thread, against tuned nanoGPT (memory kept, fast matrix
# product): five interleaved rounds, median of the per-round ratios at least .97. RIVALS names a folder
# with bench_nanogpt.py, nanogpt/model.py and fast_gemm.c; RIVAL_PYTHON a Python with torch. Skipped
# without them. Run it on an idle machine.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
work_folder
rivals=${RIVALS:-$project/../shared/rivals}
python=${RIVAL_PYTHON:-$project/.venv/bin/python}
[ -f "$rivals/bench_nanogpt.py" ] || skip "no rival at $rivals (set RIVALS)"
"$python" -c 'import torch' 2> /dev/null || skip "$python has no torch (set RIVAL_PYTHON)"
shape=${1:-B}
rounds=${2:-5}
seconds=${3:-10}

gcc -shared -fPIC -O2 "$rivals/fast_gemm.c" -o "$work/libfast_gemm.so"
pin=""
command -v taskset > /dev/null && pin="taskset -c 0"
ours() { $pin "$sweep" bench "$shape" --threads 1 --seconds "$seconds" --json; }
rival() {
  LD_PRELOAD=$work/libfast_gemm.so MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=100000000000 \
    MALLOC_TOP_PAD_=67108864 $pin "$python" "$rivals/bench_nanogpt.py" "$shape" 1 "$seconds" | tail -n 1
}

say "shape $shape, one thread, $rounds interleaved rounds of $seconds s"
for round in $(seq "$rounds"); do
  ours > "$work/ours-$round.json"
  rival > "$work/rival-$round.json"
done
python3 - "$work" "$rounds" <<'PY'
import json, statistics, sys
folder, rounds = sys.argv[1], int(sys.argv[2])
ratios = []
for i in range(1, rounds + 1):
    ours = json.load(open(f"{folder}/ours-{i}.json"))
    rival = json.load(open(f"{folder}/rival-{i}.json"))
    ratios.append(ours["tokens_per_s"] / rival["tokens_per_s"])
    print(f"   round {i}: {ours['tokens_per_s']:.0f} tokens/s, rival {rival['tokens_per_s']}, "
          f"ratio {ratios[-1]:.3f}; page faults per step {ours['page_faults_per_step']:.1f} and "
          f"{rival['faults_per_step']}, peak RSS {ours['peak_rss_mb']:.0f} and {rival['peak_rss_mb']} MB")
median = statistics.median(ratios)
print(f"   median {median:.3f}, range {min(ratios):.3f}-{max(ratios):.3f}")
assert median >= 0.97, median
PY
say "ok"
