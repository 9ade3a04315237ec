#!/usr/bin/env bash
# Poisson's equation on ranks started by mpirun: the answers of one rank, whatever way they share.
set -uo pipefail
# shellcheck source=tests/mpi/launch.sh
. "$(dirname "$0")/launch.sh"
poisson=$TESELA_TESTS/test_solvers_poisson_ranks

for count in 1 2 3 4; do
    expect 0 "$count" "$poisson" launched
done
expect 0 3 "$poisson" launched sim
