#!/usr/bin/env bash
# Systems of equations on ranks started by mpirun: the same bits as alone.
set -uo pipefail
# shellcheck source=tests/mpi/launch.sh
. "$(dirname "$0")/launch.sh"

for count in 2 3 4; do
    expect 0 "$count" "$TESELA_TESTS/test_solvers_linsolve_ranks" launched
done

# One of them lacks memory.
expect 0 3 "$TESELA_TESTS/test_solvers_linsolve_ranks_faults" launched

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
if ! grep -q "^tesela: error: $scratch/none.mtx: " "$scratch/out" ||
    [ "$(grep -c none.mtx "$scratch/out")" -ne 1 ]; then
    echo "what is wrong for all is not told once:"
    cat "$scratch/out"
    exit 1
fi
expect 1 2 "$TESELA" solve "$matrix" --max-iterations 2

# The beginning of a file, for half a minute.
tell_slowly() {
    echo "%%MatrixMarket matrix coordinate real general"
    for ((i = 0; i < 300; i++)); do
        printf '%%%0100000d\n' 0 || return
        sleep 0.1
    done
}
tell_nothing() {
    sleep 60
}
mkdir "$scratch/zero" "$scratch/one"
printf '1 1\n' >"$scratch/word.mtx"
printf '%%%%MatrixMarket matrix coordinate real general\n2 1 1\n1 1 1\n' >"$scratch/tall.mtx"
gzip -c "$matrix" | head -c 2000 >"$scratch/cut.mtx"

# refuse RANK FILE REASON: on that rank b.mtx is FILE. The other does not read its own to the end.
refuse() {
    local folders=("$scratch/zero" "$scratch/one") prefix="" begun=$SECONDS
    rm -f "$scratch"/{zero,one}/b.mtx
    cp "$2" "${folders[$1]}/b.mtx" 2>/dev/null
    mkfifo "${folders[1 - $1]}/b.mtx"
    "$teller" >"${folders[1 - $1]}/b.mtx" 2>/dev/null &
    local writer=$!
    expect 2 1 -wdir "$scratch/zero" "$TESELA" solve b.mtx : \
        -n 1 -wdir "$scratch/one" "$TESELA" solve b.mtx
    kill "$writer" 2>/dev/null # perhaps nobody came to listen
    wait "$writer" 2>/dev/null
    [ "$1" -eq 0 ] || prefix="rank $1: "
    if [ "$(grep -c b.mtx "$scratch/out")" -ne 1 ] || ! grep -q "${prefix}b.mtx.*$3" "$scratch/out" ||
        [ $((SECONDS - begun)) -gt 10 ]; then
        echo "rank $1, $3: after $((SECONDS - begun)) s:"
        cat "$scratch/out"
        exit 1
    fi
}
# A pipe that nobody writes to: that rank is ended.
teller=tell_nothing
for rank in 0 1; do
    refuse "$rank" "$scratch/word.mtx" "MatrixMarket"
done
teller=tell_slowly
for rank in 0 1; do
    refuse "$rank" "$scratch/none.mtx" "cannot open"
    refuse "$rank" "$scratch/word.mtx" "MatrixMarket"
    refuse "$rank" "$scratch/tall.mtx" "2 rows and 1 columns"
    refuse "$rank" "$scratch/cut.mtx" "ends too early"
done
