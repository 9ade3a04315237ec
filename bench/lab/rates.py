#!/usr/bin/env python3
"""bench/lab/rates.py [--tesela PATH] [--check] [N]: accesses a second of processor time and core of
`tesela lab run`.

Runs bench/lab/speed.cu with each compiler that is found, in one process at a time: once in lockstep with
counts, once checked in one order. The seconds are those that the program and its host code took of a
processor, as the kernel counts them, so that other work on the machine disturbs them little. The best of
three runs. --check: exit with 1 where lockstep comes below 12 M, or checks below 25 M."""

import argparse
import json
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
    """Millions of accesses a second of the best run: the program's own count of accesses."""
    best = 0.0
    for _ in range(RUNS):
        with tempfile.TemporaryFile() as report:
            environment = {**os.environ, "TESELA_LAB_CHECKS": "1" if way == "checks" else "0",
                           "TESELA_LAB_REPORT": str(report.fileno())}
            seconds = processor_seconds([program, size], environment, report.fileno())
            report.seek(0)
            launches = [line.split() for line in report.read().decode().split("\n") if line.startswith("launch ")]
        best = max(best, sum(int(words[9]) for words in launches) / seconds)
    return best


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("size", nargs="?", default="1024")
    parser.add_argument("--tesela", default=TESELA)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    missed = False
    for compiler in filter(shutil.which, ("clang++", "g++")):
        with tempfile.TemporaryDirectory() as folder:
            report = os.path.join(folder, "report.json")
            subprocess.run([options.tesela, "lab", "run", os.path.join(HERE, "speed.cu"), "--compiler", compiler,
                            "--counts", "--keep", "--quiet", "--json", report, "--", "64"], check=True,
                           env={**os.environ, "TMPDIR": folder}, stderr=subprocess.DEVNULL)
            with open(report, encoding="utf-8") as file:
                json.load(file)  # it was written whole
            names = [name for name in os.listdir(folder) if name.startswith("tesela-lab-")]
            program = os.path.join(folder, names[0], "program")
            for way, least in MUST.items():
                found = rate(program, way, options.size)
                missed = missed or found < least
                print(f"{compiler:8} {way:8} {found / 1e6:6.1f} M accesses a second of a core")
    return 1 if options.check and missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
