#!/usr/bin/env bash
# Ctrl-C once stops at checkpoints (130), SIGTERM likewise (143); the report of an incomplete sweep needs
# --interim and leaves a peek; resume ends with the bytes of a sweep that was never stopped.
# shellcheck source=../acceptance/lib.sh
. "$(dirname "$0")/../acceptance/lib.sh"
work_folder
cd "$work"
sed 's/max_iters: [0-9]*/max_iters: 300/' "$project/sweeps/smoke.yaml" > long.yaml

say "the uninterrupted one"
"$sweep" run long.yaml -C whole.sweep -q > /dev/null

some_progress() { compgen -G "stopped.sweep/runs/*/timing.jsonl" > /dev/null; }
stop_with() {
  local signal=$1 wanted=$2 status=0
  "$sweep" "${@:3}" > /dev/null 2> stop.log &
  local orchestrator=$!
  wait_for 60 some_progress
  sleep 0.3
  kill "-$signal" "$orchestrator" 2> /dev/null || true
  wait "$orchestrator" || status=$?
  [ "$status" -eq "$wanted" ] || [ "$status" -eq 0 ] || die "exit status $status after SIG$signal"
  printf '   SIG%s: exit status %s\n' "$signal" "$status"
}
say "the same, stopped twice"
# In the background a shell ignores SIGINT for its children; a session of its own does not.
set -m
stop_with INT 130 run long.yaml -C stopped.sweep
if [ "$(find stopped.sweep/runs -name result.json | wc -l)" -lt "$(wc -l < stopped.sweep/plan.jsonl)" ]; then
  say "an incomplete sweep: exit 4, or a stamp on every table and a peek in the audit trail"
  expect_exit 4 "no report without --interim" "$sweep" report stopped.sweep
  expect_exit 0 "an interim report" "$sweep" report stopped.sweep --interim
  grep -q 'INTERIM' out.txt || die "no stamp"
  grep -q '"event":"peek"' stopped.sweep/events.jsonl || die "no peek was recorded"
fi
stop_with TERM 143 resume stopped.sweep
set +m
"$sweep" resume stopped.sweep -q > /dev/null
expect "the bytes of a sweep that was never stopped" same_results whole.sweep stopped.sweep
say "ok"
