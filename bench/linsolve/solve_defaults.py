#!/usr/bin/env python3
"""solve_defaults.py TESELA [TESELA …]: systems of the kinds that users bring, each solved by default on
one thread by each of the commands given: processor seconds of the whole run, exit status, and what
solved it. docs/performance/linsolve.md has a table of it."""

import json
import math
import os
import random
import resource
import subprocess
import sys
import tempfile


def grid(n, value):
    """Entries of a five-point stencil on n x n cells: value(direction) for each neighbour."""
    for k in range(n * n):
        if k % n > 0:
            yield k, k - 1, value("left")
        if k % n < n - 1:
            yield k, k + 1, value("right")
        if k >= n:
            yield k, k - n, value("down")
        if k < n * n - n:
            yield k, k + n, value("up")


def laplacian(n, shift=0.0, sign=1.0):
    entries = {(k, k): sign * (4.0 - shift) for k in range(n * n)}
    entries.update({(i, j): sign * v for i, j, v in grid(n, lambda side: -1.0)})
    return n * n, entries


def neumann(n):
    entries = {}
    for i, j, value in grid(n, lambda side: -1.0):
        entries[i, j] = value
        entries[i, i] = entries.get((i, i), 0.0) - value
    return n * n, entries


def pinned(n):
    """A pressure with no boundary value but x_0 = 0."""
    rows, entries = neumann(n)
    return rows, {(i, j): v for (i, j), v in entries.items() if i > 0} | {(0, 0): 1.0}


def boundary_rows(n):
    """Boundary values as rows of the identity, while the columns stay."""
    rows, entries = laplacian(n)
    edge = {k for k in range(rows) if k % n in (0, n - 1) or k // n in (0, n - 1)}
    return rows, {(i, j): v for (i, j), v in entries.items() if i not in edge} | {
        (k, k): 1.0 for k in edge}


def convection(n):
    flow = 20.0 / (n + 1)
    speed = {"left": -1.0 - flow, "right": -1.0 + flow, "up": -1.0, "down": -1.0}
    return n * n, {(k, k): 4.0 for k in range(n * n)} | {
        (i, j): v for i, j, v in grid(n, speed.get)}


def saddle(n):
    rows, entries = laplacian(n)
    chance = random.Random(3)
    for k in range(rows // 3):
        for i in {3 * k, *chance.sample(range(rows), 6)}:
            entries[i, rows + k] = entries[rows + k, i] = chance.uniform(0.1, 1)
    return rows + rows // 3, entries


def badly_scaled(n):
    rows, entries = laplacian(n, shift=-1.0)
    chance = random.Random(5)
    scale = [10 ** chance.uniform(-5, 5) for _ in range(rows)]
    return rows, {(i, j): v * scale[i] * scale[j] for (i, j), v in entries.items()}


def scattered(n):
    chance = random.Random(7)
    entries = {(i, chance.randrange(n)): chance.uniform(0, 1) for i in range(n) for _ in range(8)}
    return n, entries | {(i, i): chance.uniform(0.1, 1.1) for i in range(n)}


SYSTEMS = {"Laplacian, 300 x 300": lambda: laplacian(300),
           "the same, negative": lambda: laplacian(300, sign=-1.0),
           "badly scaled, D from 1e-5 to 1e5": lambda: badly_scaled(60),
           "Helmholtz, indefinite": lambda: laplacian(60, shift=0.3),
           "pinned pressure, 100 x 100": lambda: pinned(100),
           "rows of boundary values": lambda: boundary_rows(100),
           "convection": lambda: convection(150),
           "saddle point, 1 200 rows": lambda: saddle(30),
           "scattered entries, 400 rows": lambda: scattered(400)}


def run(command, path, report):
    """Processor seconds and outcome."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = subprocess.run([command, "solve", path, "--quiet", "--threads", "1", "--json", report],
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(report, encoding="utf-8") as file:
        how = json.load(file)["parameters"]
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, result.returncode, f"{how['method']}, {how['preconditioner']}"


def main():
    commands = sys.argv[1:]
    if not commands or commands[0].startswith("-"):
        print(__doc__)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        for name, make in SYSTEMS.items():
            rows, entries = make()
            path = os.path.join(folder, "a.mtx")
            with open(path, "w", encoding="ascii") as file:
                file.write(f"%%MatrixMarket matrix coordinate real general\n{rows} {rows} "
                           f"{len(entries)}\n")
                file.writelines(f"{i + 1} {j + 1} {v!r}\n" for (i, j), v in entries.items())
            for command in commands:
                best = (math.inf, 0, "")
                for _ in range(3):
                    best = min(best, run(command, path, os.path.join(folder, "run.json")))
                print(f"{name:36} {command:40} {best[0]:8.3f} s  exit {best[1]}  {best[2]}",
                      flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
