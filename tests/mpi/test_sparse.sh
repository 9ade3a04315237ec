#!/usr/bin/env bash
# Systems of equations on ranks started by mpirun: the same bits as alone.
set -uo pipefail
# shellcheck source=tests/mpi/launch.sh
. "$(dirname "$0")/launch.sh"

for count in 2 3 4; do
    expect 0 "$count" "$TESELA_TESTS/test_sparse_ranks" launched
done

# One of them lacks memory.
expect 0 3 "$TESELA_TESTS/test_sparse_ranks_faults" launched

# The command: rank 0 writes what a rank alone does.
matrix=$scratch/a.mtx
{
    echo "%%MatrixMarket matrix coordinate real symmetric"
    echo "900 900 1799"
    for ((i = 1; i <= 900; i++)); do
        echo "$i $i 2.5"
        [ "$i" -eq 900 ] || echo "$((i + 1)) $i -1"
    done
} >"$matrix"
for device in cpu sim; do
    "$TESELA" solve "$matrix" --device "$device" --quiet -o "$scratch/alone.npy" || exit 1
    expect 0 2 "$TESELA" solve "$matrix" --device "$device" --quiet -o "$scratch/two.npy"
    cmp "$scratch/alone.npy" "$scratch/two.npy" || exit 1
done
expect 2 2 "$TESELA" solve "$scratch/none.mtx"
expect 1 2 "$TESELA" solve "$matrix" --max-iterations 2
