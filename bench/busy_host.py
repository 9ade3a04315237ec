#!/usr/bin/env python3
"""One thread and all, beside programs that keep every core busy: what threads that wait cost.

    bench/busy_host.py [TESELA] [--idle] [--repeats N]

Starts a loop that does nothing a core (--idle: none), then runs each case on one thread and on all, in turn, N
times (5). Prints the medians and their quotient; exit status 1 where all threads take more than 1.5 times as long
as one. OMP_WAIT_POLICY and GOMP_SPINCOUNT are handed on: compare with OMP_WAIT_POLICY=active.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

MOST = 1.5
PLATE = 300   # cells an edge of a Laplacian in the plane
SMALL = 40
CUBES = {8: 20000, 16: 15000, 20: 5000, 32: 1500, 64: 200}  # cells an edge, and how many solves


def write_laplacian(path, n):
    with open(path, "w", encoding="ascii") as file:
        file.write("%%MatrixMarket matrix coordinate real symmetric\n")
        file.write(f"{n * n} {n * n} {3 * n * n - 2 * n}\n")
        for k in range(1, n * n + 1):
            file.write(f"{k} {k} 4\n")
            if k % n:
                file.write(f"{k + 1} {k} -1\n")
            if k + n <= n * n:
                file.write(f"{k + n} {k} -1\n")


def cases(folder):
    """(name, command, what of its report is the time)."""
    for name, n in (("plate", PLATE), ("small plate", SMALL)):
        path = os.path.join(folder, f"{n}.mtx")
        write_laplacian(path, n)
        for more in ([], ["-p", "ic0"], ["-p", "multigrid"], ["-m", "gmres", "-p", "multigrid"]):
            yield f"solve {name} {' '.join(more)}", ["solve", path, *more], ("seconds", "total")
    for n, count in CUBES.items():
        yield (f"poisson {n}^3", ["poisson", "bench", "--n", str(n), "--repeat", str(count)],
               ("results", "seconds_mean"))
    yield "npb cg S", ["npb", "cg", "--class", "S"], ("results", "seconds")


def seconds(tesela, command, threads, what):
    done = subprocess.run([tesela, *command, "--device", "cpu", "--threads", str(threads), "--quiet",
                           "--json", "-"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          check=False)
    if done.returncode != 0:
        sys.exit(done.stderr.strip() or f"{command} ended with {done.returncode}")
    found = json.loads(done.stdout[done.stdout.index("{"):])
    for name in what:
        found = found[name]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser.add_argument("tesela", nargs="?", default=os.path.join(root, "build", "cpu", "tesela"))
    parser.add_argument("--idle", action="store_true")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    loops = [] if options.idle else [subprocess.Popen(["sh", "-c", "while :; do :; done"])
                                     for _ in range(cores)]
    slow = 0
    try:
        with tempfile.TemporaryDirectory(prefix="tesela-busy-") as folder:
            print(f"{'ms':36}{'1 thread':>10}{cores:>3} threads  quotient")
            for name, command, what in cases(folder):
                times = {1: [], cores: []}
                for _ in range(options.repeats):
                    for threads, found in times.items():
                        found.append(seconds(options.tesela, command, threads, what))
                one, all_of_them = (1e3 * statistics.median(times[threads]) for threads in (1, cores))
                slow += all_of_them > MOST * one
                print(f"{name:36}{one:10.4g}{all_of_them:11.4g}{all_of_them / one:10.2f}", flush=True)
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
