#!/usr/bin/env python3
"""bench/lab/rates.py [--tesela PATH] [--check] [N]: accesses a second of `tesela lab run`, in one process.

Runs bench/lab/speed.cu for N x N elements (1024) with each compiler that is found: three times in lockstep with
counts, three times checked in one order. Prints the best run's accesses a second of processor time, the host
code's included, as the kernel counts it, so that other work on the machine disturbs it little; then those of
each kernel in that run, by the clock. --check: exit with 1 where lockstep comes below 12 M, or checks below
25 M."""

import argparse
import os
import resource
import shutil
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TESELA = os.path.join(HERE, "..", "..", "build", "cpu", "tesela")
MUST = {"lockstep": 12e6, "checks": 25e6}
RUNS = 3


def processor_seconds(command, environment, keep):
    """User and system seconds of a program."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=environment, pass_fds=[keep], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def rate(program, way, size):
    """(accesses a second of the best run, {kernel: its accesses a second there}), as the program counts them."""
    best, kernels = 0.0, {}
    for _ in range(RUNS):
        with tempfile.TemporaryFile() as report:
            environment = {**os.environ, "TESELA_LAB_CHECKS": "1" if way == "checks" else "0",
                           "TESELA_LAB_REPORT": str(report.fileno())}
            seconds = processor_seconds([program, size], environment, report.fileno())
            report.seek(0)
            launches = [line.split(None, 11) for line in report.read().decode().split("\n")
                        if line.startswith("launch ")]  # results.c names the words
        found = sum(int(words[9]) for words in launches) / seconds
        if found > best:
            best, kernels = found, {words[11]: int(words[9]) / float(words[10]) for words in launches}
    return best, kernels


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("size", nargs="?", default="1024")
    parser.add_argument("--tesela", default=TESELA)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    missed = False
    for compiler in filter(shutil.which, ("clang++", "g++")):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([options.tesela, "lab", "run", os.path.join(HERE, "speed.cu"), "--compiler", compiler,
                            "--counts", "--keep", "--quiet", "--", "64"], check=True,
                           env={**os.environ, "TMPDIR": folder}, stderr=subprocess.DEVNULL)
            names = [name for name in os.listdir(folder) if name.startswith("tesela-lab-")]
            program = os.path.join(folder, names[0], "program")
            for way, least in MUST.items():
                found, kernels = rate(program, way, options.size)
                missed = missed or found < least
                print(f"{compiler:8} {way:8} {found / 1e6:6.1f} M accesses a second of a core")
                for kernel, of_kernel in kernels.items():
                    print(f"{'':17} {of_kernel / 1e6:6.1f} M by the clock: {kernel}")
    return 1 if options.check and missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
