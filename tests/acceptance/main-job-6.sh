#!/usr/bin/env bash
# A registered sweep does not change (exit 3 with the difference in words), has one orchestrator at a time
# (exit 5), and survives a full disk (exit 6, then resume completes).
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
work_folder
cd "$work"
cp "$project/sweeps/smoke.yaml" smoke.yaml

say "a changed level"
"$sweep" run smoke.yaml > first.txt 2> first.log
sed -E '0,/train.learning_rate: \[/s//train.learning_rate: [7.7e-3, /' smoke.yaml > changed.yaml
expect_exit 3 "a changed level is refused" "$sweep" run changed.yaml -C smoke.sweep
cat err.txt
grep -q "7.7e-3" err.txt || die "the difference is not named"
{ printf '# a comment\n\n'; cat smoke.yaml; } > commented.yaml
expect_exit 0 "comments and white space pass" "$sweep" run commented.yaml -C smoke.sweep -q

say "two orchestrators on one folder"
sed 's/max_iters: [0-9]*/max_iters: 3000/' smoke.yaml > long.yaml
"$sweep" run long.yaml -q > /dev/null 2>&1 &
first=$!
first_owns() { [ -s long.sweep/owner.json ] && compgen -G "long.sweep/runs/*/claim.json" > /dev/null; }
wait_for 60 first_owns
expect_exit 5 "a second run is refused" "$sweep" run long.yaml
cat err.txt
expect_exit 5 "a second resume is refused" "$sweep" resume long.sweep
kill -TERM "$first"
wait "$first" || printf '   the first stopped at its checkpoints, exit status %s\n' "$?"

say "a full disk"
disk=$work/disk
mkdir "$disk"
if mount -t tmpfs -o size=6m tmpfs "$disk" 2> /dev/null; then
  trap 'umount -l "$disk" 2> /dev/null; remove_work_folder' EXIT
  head -c 5600k /dev/zero > "$disk/filler"
  expect_exit 6 "a full disk" "$sweep" run smoke.yaml -C "$disk/smoke.sweep" -q
  cat err.txt
  rm "$disk/filler"
  expect_exit 0 "space was made" "$sweep" run smoke.yaml -C "$disk/smoke.sweep" -q
  "$sweep" verify "$disk/smoke.sweep"
  expect "the bytes of a sweep that never met a full disk" same_results smoke.sweep "$disk/smoke.sweep"
else
  printf '   not tried: mounting a tmpfs needs root\n'
fi
say "ok"
