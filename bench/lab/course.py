#!/usr/bin/env python3
"""bench/lab/course.py [--ids ID,ID,…] [TESELA]: from save to verdict.

Grades the solution of each exercise as `tesela lab watch` does when a file is saved, with only clang++ to be found and
again with only g++, without a network where `unshare -n` is allowed. Prints CPU seconds (user and system, of all
processes) and seconds of a clock, as they are once the exercise's judge was built; the first save also builds it.
A host that does other work makes the clock's seconds longer; CPU seconds on two cores bound the time from below."""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # leave the source tree as it is
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tests", "lab"))
import lab
from course import exercises, fields, id_of

BOUNDS = (2, 10)


def measured(command, environment):
    """(status, CPU seconds, seconds, what it printed)"""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.monotonic()
    done = subprocess.run(command, env=environment, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    seconds = time.monotonic() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return done.returncode, cpu, seconds, done.stdout


def measure(compiler, folder, paths):
    """[(id, kind, CPU and clock seconds of the first save, and of the second, whether it passes)]"""
    environment, cut_off = lab.alone(compiler)
    environment["XDG_CACHE_HOME"] = os.path.join(folder, "cache-" + compiler)
    rows = []
    for path in paths:
        own = fields(path)
        answer = os.path.join(folder, f"{own['id']}-{own['name']}.{'txt' if own['kind'] == 'predict' else 'cu'}")
        command = [*cut_off, lab.TESELA, "lab", "check", answer, "--dir", folder]
        first = measured(command, environment)
        second = measured(command, environment)
        if first[0] != 0 or second[0] != 0:
            print(first[3], second[3], sep="\n", file=sys.stderr)
        rows.append((id_of(path), own["kind"], first[1], first[2], second[1], second[2], second[0] == 0))
    shutil.rmtree(environment["PATH"])
    return rows


def write_solutions(folder, paths):
    subprocess.run([lab.TESELA, "lab", "list", "--dir", folder], check=True, stdout=subprocess.DEVNULL)
    for path in paths:
        own = fields(path)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        begin = text.index(" solution\n") + len(" solution\n")
        lines = text[begin:text.index("\n```", begin) + 1].split("\n")
        name = f"{own['id']}-{own['name']}.{'txt' if own['kind'] == 'predict' else 'cu'}"
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write("\n".join(line for line in lines if line.strip()[:3] not in ("//<", "//>", "//:")))


def main():
    arguments = sys.argv[1:]
    paths = exercises()
    if arguments[:1] == ["--ids"]:
        asked = arguments[1].split(",")
        paths = [path for path in paths if id_of(path) in asked]
        arguments = arguments[2:]
    lab.TESELA = os.path.abspath(arguments[0]) if arguments else lab.TESELA
    print(f"load {' '.join(f'{x:.1f}' for x in os.getloadavg())}, {os.cpu_count()} cores")
    for compiler in lab.COMPILERS:
        with tempfile.TemporaryDirectory() as folder:
            write_solutions(folder, paths)
            rows = measure(compiler, folder, paths)
        print(f"{compiler}: id      first save: CPU, clock    then: CPU, clock")
        for row in sorted(rows, key=lambda row: -row[4]):
            print(f"  {row[0]:6} {row[1]:8} {row[2]:6.2f} {row[3]:6.2f}        {row[4]:6.2f} {row[5]:6.2f}"
                  f"{'' if row[6] else '  NOT PASSED'}")
        for name, at in (("CPU", 4), ("clock", 5), ("first save, clock", 3)):
            over = " ".join(f"{sum(row[at] > bound for row in rows)} above {bound} s," for bound in BOUNDS)
            print(f"{compiler}: {name}: {over} sum {sum(row[at] for row in rows):.1f} s, of {len(rows)} exercises")


main()
