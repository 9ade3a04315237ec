#!/usr/bin/env bash
# Nobody hangs: launches 500 times over, with more at work than there are processors.
# ctest: cost 60
set -uo pipefail
# shellcheck source=tests/mpi/launch.sh
. "$(dirname "$0")/launch.sh"
# shellcheck source=tests/support/busy.sh
. "$(dirname "$0")/../support/busy.sh"

for i in $(seq 500); do
    count=$((i % 4 + 1))
    if [ $((i % 5)) -eq 0 ]; then
        expect 0 "$count" "$ranks" cases "$i"
    else
        expect 0 "$count" "$ranks" fail $((i % count)) $((i % 24))
    fi
done
