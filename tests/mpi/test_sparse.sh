#!/usr/bin/env bash
# Systems of equations on ranks started by mpirun: the same bits as alone.
set -uo pipefail
# shellcheck source=tests/mpi/launch.sh
. "$(dirname "$0")/launch.sh"

for count in 2 3 4; do
    expect 0 "$count" "$TESELA_TESTS/test_sparse_ranks" launched
done
