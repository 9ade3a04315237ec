"""What the tests of `tesela lab` share."""

import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get("TESELA_SOURCE") or os.path.dirname(os.path.dirname(HERE))
TESELA = os.environ.get("TESELA") or os.path.join(SOURCE, "build", "cpu", "tesela")
COMPILERS = [name for name in ("clang++", "g++") if shutil.which(name)]


def need_compilers():
    """Skip the whole test where nothing can compile a learner's file."""
    if not COMPILERS:
        print("skipped: neither clang++ nor g++ is found")
        sys.exit(77)


def alone(compiler):
    """(an environment whose PATH has nothing but links to this compiler and what it needs, a command's beginning
    that cuts it off from the network, empty where that is not allowed). Its PATH is a folder to be removed."""
    folder = tempfile.mkdtemp(prefix="tesela-lab-path-")
    for name in (compiler, "ld", "as", "addr2line", *(["clang"] if compiler == "clang++" else [])):
        found = shutil.which(name)
        if found:
            os.symlink(os.path.realpath(found), os.path.join(folder, name))
    unshare = shutil.which("unshare")
    allowed = unshare and subprocess.run([unshare, "-n", "true"], check=False,
                                         stderr=subprocess.DEVNULL).returncode == 0
    return {**os.environ, "PATH": folder}, [unshare, "-n"] if allowed else []


def lab_run(path, *arguments, timeout=120, **options):
    """Run `tesela lab run`; returns the process and the report, None if there is none."""
    folder = tempfile.mkdtemp(prefix="tesela-lab-test-")
    report = os.path.join(folder, "report.json")
    try:
        done = subprocess.run([TESELA, "lab", "run", path, "--json", report, *arguments],
                              text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False, timeout=timeout, **options)
        if not os.path.exists(report):
            return done, None
        with open(report, encoding="utf-8") as file:
            return done, json.load(file)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def lines_of(launch):
    """{(memory, access, bytes): sums over the launch's lines}"""
    sums = {}
    for line in launch["lines"]:
        key = (line["memory"], line["access"], line["bytes"])
        total = sums.setdefault(key, {})
        for name in ("requests", "lanes", "sectors", "least_sectors", "wavefronts",
                     "bank_conflicts", "transactions", "uncoalesced_half_warps"):
            if line[name] is not None:
                total[name] = total.get(name, 0) + line[name]
    return sums


def same_counts(test, reports, path):
    """All launches of the reports, one for each compiler, have the same lines with the same counts."""
    found = [[(launch["kernel"], sorted(launch["lines"], key=lambda line: sorted(map(str, line.items()))))
              for launch in report["results"]["launches"]] for report in reports]
    for other in found[1:]:
        test.assertEqual(len(found[0]), len(other), path)
        for a, b in zip(found[0], other):
            test.assertEqual(a, b, path)
    return len(found[0])
