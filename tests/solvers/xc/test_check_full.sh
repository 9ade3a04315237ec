#!/usr/bin/env bash
# Properties of every functional at 10^8 points in all: 400 000 of each, closed shell and of two spins, on the CPU.
set -euo pipefail
"$TESELA" xc check --device cpu --threads 2 --points 400000 --quiet
