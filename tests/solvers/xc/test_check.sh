#!/usr/bin/env bash
# Properties of every functional on the CPU, at 20 000 points each, at 10^5 with TESELA_FULL=1: finite whatever the
# input, the same with spins swapped, closed shell and equal spins alike, derivatives against differences; sim against
# the CPU.
# ctest: cost 60, full with sanitizers
set -euo pipefail
points=20000
if [ -n "${TESELA_FULL-}" ]; then
    points=100000
fi
"$TESELA" xc check --device cpu --threads 2 --points "$points" --quiet
"$TESELA" xc check --device sim --threads 2 --points 1000 --quiet
