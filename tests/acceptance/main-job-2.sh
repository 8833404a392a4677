#!/usr/bin/env bash
# kill -9 of the orchestrator and of workers in the middle of a sweep, then resume: every result.json,
# metrics.jsonl and final.safetensors equals that of an uninterrupted sweep, byte by byte; and one job at
# a time gives the same bytes as two.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
work_folder
cd "$work"

# The smoke sweep with longer runs, so that there is something to interrupt.
sed 's/max_iters: [0-9]*/max_iters: 1500/; s/^execution:.*//' "$project/sweeps/smoke.yaml" > long.yaml
printf 'execution: {checkpoint_seconds: 0.2}\n' >> long.yaml

say "uninterrupted, two jobs"
"$sweep" run long.yaml -C whole.sweep -j 2 > /dev/null 2> whole.log
say "uninterrupted, one job"
"$sweep" run long.yaml -C single.sweep -j 1 > /dev/null 2> single.log
expect "one job at a time gives the bytes of two" same_results whole.sweep single.sweep

any_checkpoint() { compgen -G "killed.sweep/runs/*/checkpoint-*.safetensors" > /dev/null; }
worker_pids() { pgrep -f "sweep-train.* *killed.sweep/runs/" || true; }
nobody_works() { [ -z "$(worker_pids)" ]; }

say "the same, with kill -9 of a worker, then of the orchestrator, five times over"
all_finished() { [ "$(find killed.sweep/runs -name result.json | wc -l)" -eq "$(wc -l < killed.sweep/plan.jsonl)" ]; }
for round in 1 2 3 4 5; do
  if [ -f killed.sweep/lock.json ] && all_finished; then break; fi
  "$sweep" run long.yaml -C killed.sweep -j 2 > /dev/null 2>> killed.log &
  orchestrator=$!
  wait_for 60 any_checkpoint
  victim=$(worker_pids | head -n 1)
  [ -z "$victim" ] || kill -9 "$victim" 2> /dev/null || true
  sleep "$((RANDOM % 4 + 1)).$((RANDOM % 10))"
  kill -9 "$orchestrator" 2> /dev/null || true
  wait "$orchestrator" 2> /dev/null || true
  wait_for 60 nobody_works
  printf '   round %s: %s of %s runs finished; status: %s\n' "$round" \
    "$(find killed.sweep/runs -name result.json | wc -l)" "$(wc -l < killed.sweep/plan.jsonl)" \
    "$("$sweep" status killed.sweep | head -n 1)"
done
say "resume"
"$sweep" resume killed.sweep -j 2 > /dev/null 2>> killed.log
expect "the killed and resumed sweep has the bytes of the whole one" same_results whole.sweep killed.sweep
"$sweep" verify killed.sweep
printf '   attempts recorded: %s starts for %s runs\n' \
  "$(cat killed.sweep/runs/*/attempts.jsonl | grep -c '"event":"start"')" "$(wc -l < killed.sweep/plan.jsonl)"
say "ok"
