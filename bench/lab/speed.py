#!/usr/bin/env python3
"""bench/lab/speed.py [TESELA]: accesses a second of `tesela lab run`, in one process.

Runs bench/lab/speed.cu with each compiler that is found; prints millions of accesses a second, counted in
lockstep and checked in one order, by kernel and of all."""

import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TESELA = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", "..", "build", "cpu", "tesela")


def main():
    for compiler in filter(shutil.which, ("clang++", "g++")):
        with tempfile.TemporaryDirectory() as folder:
            report = os.path.join(folder, "report.json")
            subprocess.run([TESELA, "lab", "run", os.path.join(HERE, "speed.cu"), "--compiler", compiler,
                            "--threads", "1", "--order", "forward", "--quiet", "--json", report], check=True)
            with open(report, encoding="utf-8") as file:
                results = json.load(file)["results"]
        for launch in results["launches"]:
            print(f"{compiler:8} {launch['kernel']:10} lockstep "
                  f"{launch['accesses'] / launch['seconds'] / 1e6:6.1f} M/s")
        for run in results["runs"]:
            print(f"{compiler:8} all        {run['order']:8} {run['accesses'] / run['seconds'] / 1e6:6.1f} M/s")


main()
