#!/bin/sh
# Fetches into .cache/arm64 what preset arm64 needs of a 64-bit ARM Debian, and LibTorch's wheel for
# it. Runs on Debian and installs nothing: packages are taken apart beside this machine's own.
set -eu

sysroot=$(cd "$(dirname "$0")/.." && pwd -P)/.cache/arm64
mkdir -p "$sysroot/apt/lists/partial" "$sysroot/apt/archives/partial" "$sysroot/proc"
cd "$sysroot"

: >apt/status
cat >apt/conf <<END
APT::Architecture "arm64";
APT::Architectures {"arm64";};
Dir::State "$sysroot/apt";
Dir::State::status "$sysroot/apt/status";
Dir::Cache "$sysroot/apt";
END
export APT_CONFIG=$sysroot/apt/conf
apt-get -q update
apt-get -q -y --no-install-recommends --download-only install \
  libyaml-cpp-dev libfmt-dev libboost-program-options-dev libboost-math-dev nlohmann-json3-dev \
  libssl-dev libgtest-dev libgmock-dev libbenchmark-dev libstdc++6
for package in apt/archives/*.deb; do dpkg -x "$package" .; done

# Only the CUDA build is offered; its CPU half loads these two libraries besides.
python3 -m venv venv
venv/bin/pip download --quiet --no-deps --only-binary=:all: --python-version 3.11 --dest wheels \
  --platform manylinux_2_28_aarch64 --platform manylinux_2_25_aarch64 \
  --platform manylinux2014_aarch64 \
  'torch==2.13.0' 'nvidia-cuda-runtime==13.0.*' 'nvidia-cuda-cupti==13.0.*'
for wheel in wheels/*.whl; do python3 -m zipfile -e "$wheel" .; done
rm -rf wheels venv apt/archives

# LibTorch reads what the processor can do here, and ends in a crash where it finds an x86's.
cat >proc/cpuinfo <<'END'
processor	: 0
Features	: fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm
CPU implementer	: 0x41
CPU architecture: 8
CPU variant	: 0x3
CPU part	: 0xd0c
CPU revision	: 1

END
