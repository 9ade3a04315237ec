#!/usr/bin/env bash
# Nobody hangs: the tests of docking's ranks 500 times over, with more at work than there are
# processors. An alarm in them ends whatever takes two minutes.
#
#     test_ranks_full.sh [COUNT]
# ctest: cost 60
set -uo pipefail
# shellcheck source=tests/support/busy.sh
. "$(dirname "$0")/../support/busy.sh"
ranks=$TESELA_TESTS/test_solvers_dock_ranks
[ -x "$ranks" ] || {
    echo "skipped: the tests of ranks are not built: they need cmocka"
    exit 77
}

for i in $(seq "${1-500}"); do
    status=0
    out=$("$ranks" 2>&1) || status=$?
    if [ "$status" -ne 0 ]; then
        echo "run $i: exit status $status"
        echo "$out"
        exit 1
    fi
done
echo "$i runs, none hung"
