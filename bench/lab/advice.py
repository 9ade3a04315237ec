#!/usr/bin/env python3
"""bench/lab/advice.py [--device cuda:N] [--rates FILE] [TESELA]: what `tesela lab advise` says of loops, and their
times on a card.

Measures the card's rates (`tesela lab bench`), or takes them from a file, builds bench/lab/loops.cu with nvcc, runs it
and asks for advice on each of its loops. Prints both times and their quotient. Exit status 1 where more than two of the
twelve are off by more than 25 %."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TESELA = os.path.join(HERE, "..", "..", "build", "gpu", "tesela")
BOUND, NEED = 0.25, 10


def advised(tesela, rates, values):
    """Seconds that the command says a loop takes."""
    size, operations, double, active, to_card, from_card, launches, threads, chain = values
    command = [tesela, "lab", "advise", "--rates", rates, "--bytes", size, "--operations", operations, "--active", active,
               "--to-card", to_card, "--from-card", from_card, "--launches", launches,
               "--kernel-threads", threads, "--chain", chain, "--pinned", "--quiet", "--json", "-"]
    done = subprocess.run(command + ["--double"] * (double == "1"), text=True, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)["results"]["seconds"]["loop"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--rates")
    parser.add_argument("tesela", nargs="?", default=TESELA)
    asked = parser.parse_args()
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    with tempfile.TemporaryDirectory() as folder:
        rates = asked.rates or os.path.join(folder, "rates.txt")
        if not asked.rates:
            subprocess.run([asked.tesela, "lab", "bench", "--device", asked.device, "-o", rates], check=True)
        program = os.path.join(folder, "loops")
        subprocess.run([nvcc, "-O2", "-std=c++17", "-arch=native", "-o", program, os.path.join(HERE, "loops.cu")], check=True)
        environment = {**os.environ, "CUDA_DEVICE_ORDER": "PCI_BUS_ID"}
        lines = subprocess.run([program], text=True, stdout=subprocess.PIPE, env=environment, check=True).stdout.splitlines()
        print(f"{'loop':24} {'advised ms':>12} {'measured ms':>12} {'quotient':>9}")
        within = 0
        for line in lines:
            name, *values, measured = line.split()
            advice = 1e3 * advised(asked.tesela, rates, values)
            quotient = advice / float(measured)
            within += abs(quotient - 1) <= BOUND
            print(f"{name:24} {advice:12.4f} {float(measured):12.4f} {quotient:9.2f}")
        print(f"within {100 * BOUND:.0f} %: {within} of {len(lines)}")
    return 0 if within >= NEED else 1


sys.exit(main())
