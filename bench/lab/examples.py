#!/usr/bin/env python3
"""bench/lab/examples.py FOLDER... [--list FILE] [--tesela PATH] [--time SECONDS] [--memory BYTES] [--least N]
[-I FOLDER]: which examples of public collections `tesela lab run` takes as they are.

FOLDER is a clone; all .cu files under it that have a main() are run, or those that --list names, one path a
line. An example is taken when it is built and each of its runs comes to its end, whatever status the program
ends with. Prints a line for each, with the statuses other than 0 and their runs, and a table of why others are
refused; says how many of those taken ended with a status in some runs that they did not end with in others, as
those do that leave main() where a check has failed a launch. Exits with 0 if at least --least (25) are taken."""

import argparse
import collections
import json
import os
import re
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TESELA = os.path.join(HERE, "..", "..", "build", "cpu", "tesela")
# How a run ended before its time: the file was built, but not run to its end.
UNFINISHED = ("time", "refused", "killed", "fatal", "fault")


def examples(folder):
    """All .cu files under a folder that can be programs."""
    for where, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            path = os.path.join(where, name)
            if name.endswith(".cu"):
                with open(path, encoding="utf-8", errors="replace") as file:
                    if re.search(r"\bmain\s*\(", file.read()):
                        yield path


def reason(stderr):
    """Why a file is refused, in one line: the first error of a compiler, else the command's own."""
    lines = [line for line in stderr.split("\n") if line.strip()]
    errors = [line for line in lines if "error:" in line and not line.startswith("tesela")]
    text = (errors or lines or ["no message"])[0]
    return re.sub(r"^.*?error: ", "", text)[:100]


def statuses(runs):
    """Statuses other than 0, with the runs that ended so: all, or their names."""
    named = {}
    for each in runs:
        if each["exit_status"] != 0:
            named.setdefault(each["exit_status"], []).append(each["order"])
    return [f"status {status} in " + ("all runs" if len(names) == len(runs) else ", ".join(names))
            for status, names in sorted(named.items())]


def run(path, options):
    """('taken' or why not, what else is told, did runs end with different statuses, seconds)."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        include = [word for name in options.include for word in ("-I", name)]
        done = subprocess.run([options.tesela, "lab", "run", path, "--quiet", "--time", str(options.time), *include,
                               "--memory", options.memory, "--json", report], text=True, errors="replace",
                              stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if not os.path.exists(report):
            return reason(done.stderr), [], False, 0.0
        with open(report, encoding="utf-8") as file:
            results = json.load(file)["results"]
    kinds = collections.Counter(r["kind"] for r in results["reports"])
    runs = results["runs"]
    seconds = sum(r["seconds"] for r in runs)
    told = [f"{count} {kind}" for kind, count in sorted(kinds.items())] + statuses(runs)
    differ = len({r["exit_status"] for r in runs}) > 1
    ended = [kind for kind in UNFINISHED if kind in kinds]
    if ended == ["time"]:
        return f"a run takes more than {options.time} s", told, differ, seconds
    return ("ended early: " + ", ".join(ended) if ended else "taken"), told, differ, seconds


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--list")
    parser.add_argument("--tesela", default=TESELA)
    parser.add_argument("--time", type=int, default=60)
    parser.add_argument("--memory", default="8G")
    parser.add_argument("--least", type=int, default=25)
    parser.add_argument("-I", "--include", action="append", default=[])
    options = parser.parse_args()
    wanted = None
    if options.list:
        with open(options.list, encoding="utf-8") as file:
            wanted = {line.strip() for line in file if line.strip()}
    why = collections.Counter()
    total = unlike = 0
    for folder in options.folders:
        for path in examples(folder):
            name = os.path.relpath(path, folder)
            if wanted is None or name in wanted:
                found, told, differ, seconds = run(path, options)
                total += 1
                why[found] += 1
                unlike += differ and found == "taken"
                print(f"{os.path.basename(os.path.normpath(folder))} {name}: {found}; "
                      f"{', '.join(told) or 'nothing told'}; {seconds:.1f} s", flush=True)
    print(f"\n{why['taken']} of {total} are taken, {unlike} of them with statuses that differ from run to run")
    for text, count in why.most_common():
        if text != "taken":
            print(f"{count:4}  {text}")
    return 0 if why["taken"] >= options.least else 1


if __name__ == "__main__":
    raise SystemExit(main())
