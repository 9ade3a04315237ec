#!/usr/bin/env bash
# Benchmarks find the MPI plug-in of their build by themselves.
set -euo pipefail
# shellcheck source=tests/mpi/launch.sh
. "$(dirname "$0")/launch.sh"

poisson=$(dirname "$TESELA")/bench/poisson
[ -x "$poisson" ] || skip "built without benchmarks"
unset TESELA_PLUGIN_PATH
expect 0 2 "$poisson" 16 1 1
grep -Eq '(1 x 2|2 x 1) ranks' "$scratch/out" || { cat "$scratch/out"; exit 1; }
