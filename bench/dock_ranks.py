#!/usr/bin/env python3
"""Docking on several devices against one: how much faster, and that the files are the same.

    dock_ranks.py TESELA [--kind cuda] [--most 4] [--grid 128] [--rotations spiral:54000]
                  [--slow cpu] [--repeats 3] [--json FILE]

Docks data/'s pair on 1, 2, 4 … devices of a kind (cuda:0, cuda:0-1, …; with --kind cpu: cpu, cpu,cpu, …),
and on one of them beside a slow one, whose ideal is the sum of both rates. A search's time is from
run.json: `compute`, everything between set-up and the writing of files, and of the ranks' own parts
the longest. Medians of the repeats, after one run to warm up."""
import argparse
import filecmp
import json
import os
import statistics
import subprocess
import sys
import tempfile

SOURCE = os.path.abspath(os.path.join(os.path.dirname(__file__), ".."))
FILES = ("ftdock_global.dat", "zdock.out")


def device_list(kind, count):
    if kind != "cuda":
        return ",".join([kind] * count)
    return "cuda:0" if count == 1 else f"cuda:0-{count - 1}"


class Bench:
    def __init__(self, arguments, folder):
        self.arguments = arguments
        self.folder = folder
        self.reference = None

    def dock(self, devices, threads=None):
        """One run's report; its files must be those of the first."""
        out = os.path.join(self.folder, "out")
        command = [self.arguments.tesela, "dock", os.path.join(SOURCE, "data", "trypsin.pdb"),
                   os.path.join(SOURCE, "data", "bpti.pdb"), "-o", out, "--quiet", "--poses", "0",
                   "--device", devices, "--rotations", self.arguments.rotations, "--grid",
                   str(self.arguments.grid)]
        if self.arguments.grid < 64:
            command += ["--surface", "2.5"]
        if threads:
            command += ["--threads", str(threads)]
        subprocess.run(command, check=True)
        if self.reference is None:
            self.reference = os.path.join(self.folder, "reference")
            os.rename(out, self.reference)
            out = self.reference
        elif filecmp.cmpfiles(out, self.reference, FILES, shallow=False)[0] != list(FILES):
            sys.exit(f"dock_ranks.py: {devices}: the files differ from the first run's")
        with open(os.path.join(out, "run.json"), encoding="utf-8") as file:
            return json.load(file)

    def measure(self, devices, threads=None):
        reports = [self.dock(devices, threads) for _ in range(self.arguments.repeats + 1)][1:]
        times = [report["seconds"]["compute"] for report in reports]
        return {
            "devices": devices,
            "ranks": reports[0]["ranks"],
            "compute": statistics.median(times),
            "spread": max(times) - min(times),
            "longest_rank": statistics.median(
                max(rank["seconds"] for rank in report["results"]["ranks"]) for report in reports),
            "shares": [(rank["device"], rank["threads"], rank["rotations"], rank["rate"])
                       for rank in reports[-1]["results"]["ranks"]],
            "rotations": reports[0]["results"]["rotations"],
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tesela")
    parser.add_argument("--kind", default="cuda")
    parser.add_argument("--most", type=int, default=4)
    parser.add_argument("--grid", type=int, default=128)
    parser.add_argument("--rotations", default="spiral:54000")
    parser.add_argument("--slow", default="cpu", help="'' leaves the mixed run out")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(arguments, folder)
        counts = [count for count in (1, 2, 4, 8, 16) if count <= arguments.most]
        rows = [bench.measure(device_list(arguments.kind, count)) for count in counts]
        for row in rows:
            row["speedup"] = rows[0]["compute"] / row["compute"]
            row["speedup_of_ranks"] = rows[0]["longest_rank"] / row["longest_rank"]
        mixed = None
        if arguments.slow:
            mixed = bench.measure(f"{device_list(arguments.kind, 1)},{arguments.slow}")
            threads = [share[1] for share in mixed["shares"]]
            alone = [rows[0], bench.measure(arguments.slow, threads[1])]
            rates = [row["rotations"] / row["longest_rank"] for row in alone]
            mixed["rates_alone"] = rates
            mixed["ideal"] = mixed["rotations"] / sum(rates)
            mixed["over_ideal"] = mixed["longest_rank"] / mixed["ideal"]
    print(f"{'devices':<16} {'compute s':>10} {'spread':>8} {'ranks s':>9} {'times':>7} {'of ranks':>9}")
    for row in rows:
        print(f"{row['devices']:<16} {row['compute']:10.4f} {row['spread']:8.4f} "
              f"{row['longest_rank']:9.4f} {row['speedup']:7.3f} {row['speedup_of_ranks']:9.3f}")
    if mixed:
        print(f"{mixed['devices']}: {mixed['longest_rank']:.4f} s, ideal (sum of rates alone, "
              f"{mixed['rates_alone'][0]:.0f} + {mixed['rates_alone'][1]:.0f} a second) "
              f"{mixed['ideal']:.4f} s: {mixed['over_ideal']:.3f} times; shares {mixed['shares']}")
    print("all files are the same")
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({"grid": arguments.grid, "search": arguments.rotations, "runs": rows,
                       "mixed": mixed}, file, indent=2)


main()
