#!/usr/bin/env bash
# In an empty clone in a bare Debian root, the two commands of the README:
#   ./bootstrap run sweeps/demo.yaml
#   ./bootstrap test
# with their wall time and tables, and what the demo's report must say.
#
# main-job-1.sh [bookworm|trixie|both] [--no-tests] [--set-up-only]
#
# --set-up-only stops after `./bootstrap`. Needs root and debootstrap; exits 77 without. Environment:
# SWEEP_DEBIAN_MIRROR (else debootstrap's own choice), TMPDIR (else /var/tmp; 5 GB), KEEP=1. Proxies
# and PIP_* are passed into the root, with the folders of wheels and the certificates they name.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

releases='bookworm trixie'
with_tests=yes
set_up_only=no
for argument; do
  case $argument in
    bookworm | trixie) releases=$argument ;;
    both) ;;
    --no-tests) with_tests=no ;;
    --set-up-only) set_up_only=yes ;;
    *) die "unknown argument $argument" ;;
  esac
done

[ "$(id -u)" -eq 0 ] || skip 'chroot needs root'
for tool in debootstrap unshare git python3; do
  command -v $tool >/dev/null || skip "$tool is not here"
done

# In a mount namespace of its own, so that no mount outlives this script, however it ends.
if [ -z "${SWEEP_OWN_MOUNTS-}" ]; then
  SWEEP_OWN_MOUNTS=1 exec unshare --mount --propagation private bash "$0" "$@"
fi

# Where pip of this machine looks for wheels before it asks an index: folders, one a line.
wheel_folders() {
  { printf '%s\n' "${PIP_FIND_LINKS-}"; python3 -m pip config get global.find-links 2>/dev/null; } |
    tr ' ' '\n' | sort -u | while read -r folder; do
      case $folder in /*) [ ! -d "$folder" ] || printf '%s\n' "$folder" ;; esac
    done
}

bare_root() {
  debootstrap --variant=minbase "$1" "$2" ${SWEEP_DEBIAN_MIRROR:+"$SWEEP_DEBIAN_MIRROR"} \
    >"$work/log" 2>&1 || { tail "$work/log"; die "debootstrap $1"; }
}

# The root's own mounts; leaves in `settings` what its commands need in the environment.
furnish() {
  local root=$1 folder
  mount -t proc proc "$root/proc"
  mount -t sysfs -o ro sysfs "$root/sys"
  mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  mapfile -t settings < <(env | grep -E '^(PIP_[A-Z_]*|https?_proxy|no_proxy)=')
  mapfile -t folders < <(wheel_folders)
  for folder in "${folders[@]}"; do
    mkdir -p "$root$folder"
    mount --bind "$folder" "$root$folder"
  done
  settings+=("PIP_FIND_LINKS=${folders[*]}")
  if [ -n "${PIP_CERT-}" ]; then
    # Not under its own name: installing ca-certificates would write over it.
    cp "$PIP_CERT" "$root/etc/acceptance-certificates.pem"
    settings+=(PIP_CERT=/etc/acceptance-certificates.pem)
  fi
}

in_root() {
  local root=$1
  shift
  chroot "$root" /usr/bin/env -i HOME=/root LANG=C.UTF-8 \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "${settings[@]}" \
    sh -c 'cd /srv/sweep && exec "$@"' sh "$@"
}

check_demo() {
  python3 - "$1" <<'PYTHON'
import json, sys
report = json.load(open(sys.argv[1]))
assert report["complete"] is True, "the sweep is not complete"
assert report["planned"] == report["finished"] == 40, (report["planned"], report["finished"])
mean = {(row["arm"], row["stratum"]): row["mean"] for row in report["lr_sensitivity"]}
for depth in (2, 4):
    base, qknorm = mean["base", depth], mean["qknorm", depth]
    print(f"LR-sensitivity at depth {depth}: base {base:.3f}, qknorm {qknorm:.3f}")
    assert base > qknorm, f"depth {depth}: base is not the more sensitive arm"
PYTHON
}

show() {
  local release=$1 root=$work/$1
  say "$release: a bare root"
  timed bare_root "$release" "$root"
  furnish "$root"
  git clone --quiet --no-hardlinks "file://$project" "$root/srv/sweep"
  if [ $set_up_only = yes ]; then
    timed in_root "$root" ./bootstrap
    timed in_root "$root" ./bootstrap
    return
  fi
  timed in_root "$root" ./bootstrap run sweeps/demo.yaml
  in_root "$root" ./sweep report --json >"$work/report.json"
  expect "$release: 40 runs, base more sensitive at both depths" check_demo "$work/report.json"
  if [ $with_tests = yes ]; then timed in_root "$root" ./bootstrap test; fi
}

work_folder
# The mounts first: what is mounted in a root must not be removed with it.
trap 'grep -o " $work/[^ ]*" /proc/mounts | sort -r | xargs -r umount || :; remove_work_folder' EXIT
for release in $releases; do show "$release"; done
