#!/usr/bin/env bash
# The runtime on aarch64, by a cross compiler and qemu's user mode: clean kernels give right answers
# without a report, and counts end. Skipped where these are not found.
set -euo pipefail
source=${TESELA_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
tesela=${TESELA:-$source/build/cpu/tesela}
for tool in aarch64-linux-gnu-gcc aarch64-linux-gnu-g++ aarch64-linux-gnu-ar qemu-aarch64; do
    if ! command -v "$tool" >/dev/null; then
        echo "skipped: $tool is not found (Debian: g++-aarch64-linux-gnu, qemu-user)"
        exit 77
    fi
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lib" "$work/include" "$work/tmp"
cp -r "$source/include/tesela-lab" "$work/include/"
for file in "$source"/src/lab/run/*.c; do
    aarch64-linux-gnu-gcc -std=c11 -D_GNU_SOURCE -O2 -g1 -Wall -Wextra -Werror -fvisibility=hidden \
        -I"$source/src" -I"$source/include" -c "$file" -o "$work/$(basename "$file" .c).o"
done
aarch64-linux-gnu-ar rcs "$work/lib/libtesela_lab_run.a" "$work"/*.o

failed=0
# check NAME CHECKS ORDER: run what was built; no report, status 0.
check() {
    TESELA_LAB_CHECKS=$2 TESELA_LAB_ORDER=$3 TESELA_LAB_REPORT=3 \
        qemu-aarch64 -L /usr/aarch64-linux-gnu "$program" 3>"$work/report" >"$work/output" || {
        echo "$1: the program failed"
        cat "$work/output"
        failed=1
    }
    if grep -E '^(report|fatal|refused)' "$work/report" || ! grep -qx ended "$work/report"; then
        echo "$1: reports, or no end"
        failed=1
    fi
}
for file in "$source"/tests/lab/clean/*.cu; do
    # The program cannot run here without qemu: it is kept, and the command's status does not matter.
    TMPDIR=$work/tmp TESELA_LAB_PATH=$work "$tesela" lab run "$file" --counts --keep \
        --compiler aarch64-linux-gnu-g++ >"$work/log" 2>&1 || true
    program=$(echo "$work"/tmp/*/program)
    if [ ! -f "$program" ]; then
        cat "$work/log"
        exit 1
    fi
    for run in "0 0" "1 0" "1 1"; do
        # shellcheck disable=SC2086  # two words
        check "$(basename "$file")" $run
    done
    rm -rf "$work"/tmp/*
done
exit "$failed"
