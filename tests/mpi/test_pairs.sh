#!/usr/bin/env bash
# `tesela pairs` started by mpirun: the same bytes as alone, and one line from tasks of one device.
# ctest: cost 12
set -uo pipefail
# shellcheck source=tests/mpi/launch.sh
. "$(dirname "$0")/launch.sh"

awk 'BEGIN { srand(3); for (i = 0; i < 600; i++)
    print int(i / 81) + rand() / 9, int(i / 9) % 9 + rand() / 9, i % 9 + rand() / 9 }' >"$scratch/p.txt"
points=$scratch/p.txt
common=(--device cpu --threads 1 --quiet)

# of_results FILE: what a report says was found, but for what the bytes of the result tell.
of_results() {
    sed -n '/"results"/,/}/p' "$1" | grep -v _seconds
}

# compare TASK ARGUMENT...: runs a task alone and on 1 to 4 processes; fails unless reports and results are the same.
compare() {
    local task=$1 count kind
    shift
    "$TESELA" pairs "$task" "$points" "$@" "${common[@]}" --json "$scratch/alone.json" || exit 1
    for kind in npy npz csv; do
        if [ -f "$scratch/r.$kind" ]; then mv "$scratch/r.$kind" "$scratch/alone.$kind"; fi
    done
    for count in 1 2 3 4; do
        expect 0 "$count" "$TESELA" pairs "$task" "$points" "$@" "${common[@]}" --json "$scratch/r.json"
        if [ "$(of_results "$scratch/r.json")" != "$(of_results "$scratch/alone.json")" ] ||
            ! grep -q "\"ranks\": $count," "$scratch/r.json"; then
            echo "pairs $task on $count processes: another report"
            cat "$scratch/r.json"
            exit 1
        fi
        for kind in npy npz csv; do
            if [ -f "$scratch/r.$kind" ] && ! cmp "$scratch/r.$kind" "$scratch/alone.$kind"; then
                exit 1
            fi
        done
    done
    rm -f "$scratch"/r.{npy,npz,csv}
}
compare distance -o "$scratch/r.npy" --chunk 100K
compare energy -o "$scratch/r.npy"
compare energy -o "$scratch/r.npy" --cutoff 2.5 --shift force --box 9,9,9
compare triplets
compare neighbors -o "$scratch/r.npz" --cutoff 1.5
compare neighbors -o "$scratch/r.npz" --cutoff 2.5 --half --sorted --box 9,9,9
compare knn -o "$scratch/r.npz" --k 5
compare histogram -o "$scratch/r.csv" --to 4 --box 9,9,9

for line in "contacts $points $points" "maps --cells 64" "ladder --most 128"; do
    # shellcheck disable=SC2086
    launch 2 "$TESELA" pairs $line
    if [ "$status" -ne 2 ] || [ "$(grep -c '^tesela: error: .*runs on one device' "$scratch/out")" -ne 1 ]; then
        echo "pairs $line: exit status $status"
        cat "$scratch/out"
        exit 1
    fi
done
