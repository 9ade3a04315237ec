# shellcheck shell=bash
# What the tests of MPI launches share. Sourced.

ranks=$TESELA_TESTS/test_comm_comm
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT

skip() {
    echo "skipped: $*"
    exit 77
}
command -v mpirun >/dev/null || skip "there is no mpirun"
[ -x "$ranks" ] || skip "the tests of ranks are not built: they need cmocka"
[ -f "${TESELA_PLUGIN_PATH-.}/libtesela_mpi.so" ] || skip "this build has no MPI"

options=()
if [[ $(mpirun --version 2>&1) == *'Open MPI'* ]]; then
    options=(--allow-run-as-root --oversubscribe)
fi

# launch COUNT PROGRAM ARGUMENT…: run the ranks, within a minute; the outcome is in $status.
launch() {
    local count=$1
    shift
    status=0
    timeout 60 mpirun "${options[@]}" -n "$count" "$@" >"$scratch/out" 2>&1 || status=$?
}

# expect STATUS COUNT PROGRAM ARGUMENT…: the same, with this exit status.
expect() {
    local wanted=$1
    shift
    launch "$@"
    if [ "$status" -ne "$wanted" ]; then
        echo "mpirun -n $*: exit status $status, not $wanted"
        cat "$scratch/out"
        exit 1
    fi
}
