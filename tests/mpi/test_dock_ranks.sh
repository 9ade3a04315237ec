#!/usr/bin/env bash
# Docking's plans of ranks started by mpirun: one process of a host measures transforms.
# ctest: cost 60
set -uo pipefail
# shellcheck source=tests/mpi/launch.sh
. "$(dirname "$0")/launch.sh"

for count in 1 2 4; do
    expect 0 "$count" "$TESELA_TESTS/test_solvers_dock_ranks" launched
done
