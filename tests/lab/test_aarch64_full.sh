#!/usr/bin/env bash
# The runtime on aarch64, by a cross compiler and qemu's user mode: fourteen files of clean kernels give right
# answers without a report, and counts that do not depend on the number of processes. Skipped where these
# tools are not found.
set -euo pipefail
# shellcheck source=tests/lab/runtime.bash
source "$(dirname "$0")/runtime.bash"
for tool in aarch64-linux-gnu-gcc aarch64-linux-gnu-g++ aarch64-linux-gnu-ar qemu-aarch64; do
    need "$tool" g++-aarch64-linux-gnu qemu-user
done
build_runtime aarch64-linux-gnu-gcc aarch64-linux-gnu-ar
check_files aarch64-linux-gnu-g++ qemu-aarch64 -L /usr/aarch64-linux-gnu
exit "$failed"
