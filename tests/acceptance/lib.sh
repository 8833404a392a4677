#!/usr/bin/env bash
# Shared by the acceptance scripts; to be sourced: . "$(dirname "$0")/lib.sh"
#
#   project          the project's root
#   $sweep           the program that ./bootstrap built (SWEEP=PROGRAM names another)
#   work_folder      makes an empty folder, gone at the end; its path in `work`. KEEP=1 keeps it
#   say, die         what is being done; what went wrong, exit 1
#   skip REASON      exit 77: cannot be shown here
#   expect SENTENCE COMMAND...          COMMAND must succeed
#   expect_exit CODE SENTENCE COMMAND...  COMMAND must end with CODE; its output in out.txt, err.txt
#   json FILE EXPRESSION                a Python expression on `value`, the parsed file, printed
#   timed COMMAND...                    runs it, then says the wall time
#   wait_for SECONDS COMMAND...         until COMMAND succeeds
#   same_results SWEEP_A SWEEP_B        every result.json, metrics.jsonl, final.safetensors byte by byte
set -euo pipefail

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)

# shellcheck disable=SC2034 # for the scripts that source this
sweep=${SWEEP:-$project/sweep}

say() { printf '== %s\n' "$*"; }

die() {
  printf 'FAILED: %s\n' "$*"
  exit 1
}

skip() {
  printf 'skipped: %s\n' "$*"
  exit 77
}

work=
remove_work_folder() {
  if [ -n "$work" ] && [ -z "${KEEP-}" ]; then rm -rf --one-file-system "$work"; fi
}

work_folder() {
  work=$(mktemp -d "${TMPDIR:-/var/tmp}/sweep-acceptance.XXXXXX")
  trap remove_work_folder EXIT
}

expect() {
  local sentence=$1
  shift
  "$@" || die "$sentence"
  printf 'ok: %s\n' "$sentence"
}

expect_exit() {
  local wanted=$1 sentence=$2 code=0
  shift 2
  "$@" >out.txt 2>err.txt || code=$?
  if [ "$code" -ne "$wanted" ]; then
    cat out.txt err.txt
    die "$sentence (exit $code, not $wanted)"
  fi
  printf 'ok: %s (exit %s)\n' "$sentence" "$code"
}

json() {
  python3 -c 'import json, sys
value = json.load(open(sys.argv[1]))
print(eval(sys.argv[2]))' "$@"
}

timed() {
  local began=$SECONDS
  "$@" || return
  say "$((SECONDS - began)) s: $*"
}

wait_for() {
  local deadline=$((SECONDS + $1))
  shift
  until "$@"; do
    [ "$SECONDS" -lt "$deadline" ] || die "waited in vain for: $*"
    sleep 0.05
  done
}

same_results() {
  local run name
  for run in "$1"/runs/*/; do
    run=$(basename "$run")
    for name in result.json metrics.jsonl final.safetensors; do
      cmp "$1/runs/$run/$name" "$2/runs/$run/$name" || return 1
    done
  done
  [ "$(ls "$1/runs")" = "$(ls "$2/runs")" ]
}

# pinned COMMAND...: on the core CORE (default 0), where that can be had.
pinned() {
  if command -v taskset > /dev/null; then taskset -c "${CORE:-0}" "$@"; else "$@"; fi
}
