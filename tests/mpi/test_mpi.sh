#!/usr/bin/env bash
# Ranks started by mpirun: the operations, and what becomes of all when one fails, ends or is killed.
# ctest: cost 60
set -uo pipefail
# shellcheck source=tests/mpi/launch.sh
. "$(dirname "$0")/launch.sh"
devices=$TESELA_TESTS/test_comm_device

for count in 1 2 3 4; do
    expect 0 "$count" "$ranks" cases 1
    expect 0 "$count" "$devices" cpu
    expect 0 "$count" "$devices" sim
    for at in 0 1 2 3 4 5 6 7 8 9 10 11; do # COMM_CYCLE
        expect 0 "$count" "$ranks" fail $((at % count)) "$at"
    done
done
expect 0 3 "$ranks" device large sim "pinned host memory"
for at in 1 4 5 7; do # a broadcast, an all-to-all, a gather, an all-reduce
    expect 0 3 "$ranks" device fail sim $((at % 3)) "$at"
done
for at in 0 25; do
    expect 0 3 "$ranks" device broken sim "$at"
done
expect 0 3 "$ranks" device sizes sim
expect 0 3 "$ranks" device nccl sim -1
for at in 0 1 6; do # its id, its start, a message
    expect 0 3 "$ranks" device nccl sim "$at"
done
for k in 4 9; do # an allocation fails
    expect 0 3 "$ranks" device memory sim "$k"
done
expect 0 2 "$ranks" device shared sim
expect 0 3 env "LD_PRELOAD=$TESELA_TESTS/plugins/libtest_aware_mpi.so" "$ranks" device aware sim

# The way is told, and can be asked for.
bench=("$TESELA" comm bench --device sim --most 16 --repeats 1 --csv "$scratch/csv")
expect 0 2 "${bench[@]}" --path staged
if ! grep -q 'mpi, sim memory by pinned host memory and MPI (as asked for)"' "$scratch/csv"; then
    echo "the way is not told:"
    cat "$scratch/csv"
    exit 1
fi
# Host memory has MPI's derived datatypes too.
expect 0 2 "$TESELA" comm bench --most 1K --repeats 1 --csv "$scratch/csv"
if ! grep -q '^"mpi, host memory",2,all-to-all of rows,1024,1024,' "$scratch/csv"; then
    echo "no all-to-all of rows:"
    cat "$scratch/csv"
    exit 1
fi
for path in nccl cuda-aware; do
    launch 2 "${bench[@]}" --path "$path"
    if [ "$status" -ne 3 ] || ! grep -q "messages between devices cannot go by $path: " "$scratch/out"; then
        echo "--path $path: exit status $status"
        cat "$scratch/out"
        exit 1
    fi
done
for line in "comm bench --most 3" "comm bench --path staged" "cmmo bench"; do
    # shellcheck disable=SC2086
    launch 3 "$TESELA" $line
    if [ "$status" -ne 2 ] || [ "$(grep -c '^tesela: error' "$scratch/out")" -ne 1 ]; then
        echo "a command line that makes no sense, $line: exit status $status"
        cat "$scratch/out"
        exit 1
    fi
done
expect 0 3 "$ranks" early 1
for failing in 0 1; do
    expect 0 3 "$ranks" count "$failing"
    expect 0 3 "$ranks" hear "$failing"
done
expect 0 3 "$ranks" sizes

# A killed rank takes all with it.
begun=$SECONDS
launch 3 "$ranks" kill 1 7
if [ "$status" -eq 0 ] || [ "$status" -eq 124 ] || [ $((SECONDS - begun)) -gt 10 ]; then
    echo "a rank was killed: exit status $status after $((SECONDS - begun)) s"
    cat "$scratch/out"
    exit 1
fi
