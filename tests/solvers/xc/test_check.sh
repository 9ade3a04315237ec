#!/usr/bin/env bash
# Properties of every functional, at 10^5 points each on the CPU: finite whatever the input, the same with spins
# swapped, closed shell and equal spins alike, derivatives against differences; sim against the CPU.
# ctest: cost 60, full with sanitizers
set -euo pipefail
"$TESELA" xc check --device cpu --threads 2 --points 100000 --quiet
"$TESELA" xc check --device sim --threads 2 --points 1000 --quiet
