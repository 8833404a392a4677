#!/usr/bin/env bash
# A whole machine: as many runs of a shape side by side as there are cores, against nanoGPT as shipped (one
# process with all cores, nothing tuned), in interleaved rounds; and the sum of the rates against that many
# times the rate of one run alone.
#
#   speed-2.sh [SHAPE] [ROUNDS] [SECONDS]      default B, 5 rounds of 5 s
#
# RIVALS and RIVAL_PYTHON as in speed-1.sh; without a rival the second part alone. Run it on an idle machine.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
work_folder
shape=${1:-B}
rounds=${2:-5}
seconds=${3:-5}
cores=$(nproc)
rivals=${RIVALS:-$project/../shared/rivals}
python=${RIVAL_PYTHON:-$project/.venv/bin/python}
rival=yes
[ -f "$rivals/bench_nanogpt.py" ] && "$python" -c 'import torch' 2> /dev/null || rival=no

say "shape $shape, $cores cores, $rounds interleaved rounds of $seconds s"
for round in $(seq "$rounds"); do
  "$sweep" bench "$shape" --seconds "$seconds" --json --processes 1 > "$work/one-$round.json"
  "$sweep" bench "$shape" --seconds "$seconds" --json --processes "$cores" > "$work/all-$round.json"
  [ $rival = no ] ||
    "$python" "$rivals/bench_nanogpt.py" "$shape" "$cores" "$seconds" | tail -n 1 > "$work/rival-$round.json"
done
python3 - "$work" "$rounds" "$cores" <<'PY'
import json, os, statistics, sys
folder, rounds, cores = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
def rate(who, i):
    path = f"{folder}/{who}-{i}.json"
    return json.load(open(path))["tokens_per_s"] if os.path.exists(path) else None
def show(what, ratios):
    print(f"   {what}: median {statistics.median(ratios):.3f}, range {min(ratios):.3f}-{max(ratios):.3f}")
numbers = range(1, rounds + 1)
for i in numbers:
    print(f"   round {i}: one run {rate('one', i):.0f} tokens/s, {cores} side by side {rate('all', i):.0f}, "
          f"nanoGPT as shipped {rate('rival', i) or float('nan'):.0f}")
show(f"{cores} side by side over {cores} times one", [rate("all", i) / cores / rate("one", i) for i in numbers])
if rate("rival", 1):
    show("against nanoGPT as shipped", [rate("all", i) / rate("rival", i) for i in numbers])
PY
say "ok"
