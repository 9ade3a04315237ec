"""What the tests of the course share."""

import concurrent.futures
import glob
import os
import re
import shutil
import subprocess

from lab import HERE, SOURCE, TESELA, alone

COURSE = os.path.join(SOURCE, "course")
CHEATS = sorted(glob.glob(os.path.join(HERE, "cheats", "*")))
# What is ended by a limit of time, of memory or of files, and takes as long.
SLOW = ("0.5-endless.cu", "0.5-fills-disk.cu", "1.1-compiles-on.cu")
# Kernels, exercises, tools, libraries and alternatives of the course of 2010, and today's capabilities.
ITEMS = ([f"K{i}" for i in range(9)] + [f"E{i}" for i in range(1, 7)] + [f"T{i}" for i in range(1, 4)]
         + ["L1", "A1"] + [f"C{i}" for i in range(1, 17)])


def exercises():
    """Paths of all exercises, by module and number."""
    paths = glob.glob(os.path.join(COURSE, "[0-9]*", "[0-9]*.md"))
    return sorted(paths, key=lambda path: [int(n) for n in os.path.basename(path).split("-")[0].split(".")])


def id_of(path):
    return os.path.basename(path).split("-")[0]


def fields(path):
    with open(path, encoding="utf-8") as file:
        block = re.match(r"```exercise\n(.*?)```", file.read(), re.S).group(1)
    return dict(line.split(": ", 1) for line in block.strip().split("\n"))


def run(command, timeout=600, **options):
    return subprocess.run(command, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, timeout=timeout, **options)


def lab(*arguments, **options):
    """Run an action of `tesela lab`."""
    return run([TESELA, "lab", *arguments], **options)


def lint_all(test, jobs):
    """`lab lint` of pairs of an exercise's path and the one compiler that is to be found, two at a time, without a
    network."""
    places = {compiler: alone(compiler) for compiler in {compiler for _, compiler in jobs}}
    for environment, _ in places.values():
        test.addCleanup(shutil.rmtree, environment["PATH"])
        environment["XDG_CACHE_HOME"] = os.path.join(environment["PATH"], "cache")

    def lint(job):
        environment, cut_off = places[job[1]]
        return run([*cut_off, TESELA, "lab", "lint", id_of(job[0]), "--threads", "1", "--seed", "20100324"],
                   env=environment)

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for job, done in zip(jobs, pool.map(lint, jobs)):
            with test.subTest(exercise=id_of(job[0]), compiler=job[1]):
                test.assertEqual(done.returncode, 0, done.stdout + done.stderr)


def check_cheats(test, paths, folder):
    """`lab check` of answers that try to cheat: none passes."""
    def check(path):
        return lab("check", path, "--dir", folder, "--seed", "7", timeout=600)

    lab("list", "--dir", folder)  # the folder is made once
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for path, done in zip(paths, pool.map(check, paths)):
            with test.subTest(file=os.path.basename(path)):
                test.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                test.assertIn("✘", done.stdout)


def covering():
    """{item: ids of the exercises that cover it}"""
    found = {item: [] for item in ITEMS}
    for path in exercises():
        for item in fields(path)["covers"].split():
            found.setdefault(item, []).append(id_of(path))
    return found


if __name__ == "__main__":  # what each exercise covers, an item a line
    for name, ids in covering().items():
        print(f"{name:4} {' '.join(ids) or 'nothing'}")
