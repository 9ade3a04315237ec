#!/usr/bin/env python3
"""Docking on several devices against one: how much faster, and that the files are the same.

    ranks.py TESELA [--kind cuda] [--most 4] [--grid 128] [--rotations 54000]
                  [--slow cpu] [--repeats 3] [--json FILE]
    ranks.py TESELA --slowed [--rotations 200000] …

Docks data/'s pair on 1, 2, 4 … devices of a kind (cuda:0, cuda:0-1, …; with --kind cpu: cpu, cpu,cpu,
…), and on one of them beside a slow one, whose ideal is the sum of both rates. A search's time is
from run.json: `compute`, everything between set-up and the writing of files, and of the ranks' own
parts the longest. Medians of the repeats, after one run to warm up.

With --slowed the fast device slows down half-way: another process, which waited, goes on with a
search of its own on it. With a rotations in all, r the sum of the rates of both devices alone, r'
that of the rates alone beside the other process, and the load coming at time t of the search, the
ideal is t + (a - r t) / r'. Beside it stands what the idle tail alone costs: had all ranks ended
together, each going on at its rate r'_q until then, they had ended sum(r'_q tail_q) / sum(r'_q)
sooner."""
import argparse
import filecmp
import json
import math
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

SOURCE = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
FILES = ("ftdock_global.dat", "zdock.out")
MOST_ROTATIONS = 10_000_000


def device_list(kind, count):
    if kind != "cuda":
        return ",".join([kind] * count)
    return "cuda:0" if count == 1 else f"cuda:0-{count - 1}"


def ended(rank):
    """Seconds from the search's beginning to the end of the rank's last batch."""
    return rank["begun"] + rank["seconds"]


def origin(report):
    """What was measured, and on what."""
    return {
        "date": time.strftime("%Y-%m-%d"),
        "models": [rank["model"] for rank in report["results"]["ranks"]],
        "version": report["version"],
        "commit": report["commit"],
    }


class Bench:
    def __init__(self, arguments, folder):
        self.arguments = arguments
        self.folder = folder
        self.reference = None

    def command(self, out, devices, rotations, threads=None):
        command = [self.arguments.tesela, "dock", os.path.join(SOURCE, "data", "trypsin.pdb"),
                   os.path.join(SOURCE, "data", "bpti.pdb"), "-o", out, "--quiet", "--poses", "0",
                   "--device", devices, "--rotations", f"spiral:{rotations}", "--grid",
                   str(self.arguments.grid)]
        command += ["--score", "ftdock"]
        if self.arguments.grid < 64:
            command += ["--surface", "2.5"]
        if threads:
            command += ["--threads", str(threads)]
        return command

    def dock(self, devices, threads=None, rotations=None, meanwhile=None):
        """One run's report. Those of all rotations leave the same files as the first. `meanwhile` is
        called with the folder and the process while that runs."""
        out = os.path.join(self.folder, "out")
        count = rotations or self.arguments.rotations
        with subprocess.Popen(self.command(out, devices, count, threads)) as run:
            if meanwhile:
                meanwhile(out, run)
        if run.returncode != 0:
            sys.exit(f"ranks.py: {devices}: status {run.returncode}")
        if self.reference is None and rotations is None:
            self.reference = os.path.join(self.folder, "reference")
            shutil.copytree(out, self.reference)
        elif rotations is None and filecmp.cmpfiles(out, self.reference, FILES,
                                                    shallow=False)[0] != list(FILES):
            sys.exit(f"ranks.py: {devices}: the files differ from the first run's")
        with open(os.path.join(out, "run.json"), encoding="utf-8") as file:
            report = json.load(file)
        shutil.rmtree(out)
        return report

    def measure(self, devices, threads=None):
        reports = [self.dock(devices, threads) for _ in range(self.arguments.repeats + 1)][1:]
        times = [report["seconds"]["compute"] for report in reports]
        return {
            "devices": devices,
            **origin(reports[0]),
            "ranks": reports[0]["ranks"],
            "compute": statistics.median(times),
            "spread": max(times) - min(times),
            "longest_rank": statistics.median(
                max(ended(rank) for rank in report["results"]["ranks"]) for report in reports),
            "shares": [(rank["device"], rank["threads"], rank["rotations"], rank["rate"])
                       for rank in reports[-1]["results"]["ranks"]],
            "rotations": reports[0]["results"]["rotations"],
        }


class Load:
    """Another process that searches on a device whenever it is let."""

    def __init__(self, bench, device, threads):
        out = os.path.join(bench.folder, "load")
        self.run = subprocess.Popen(bench.command(out, device, MOST_ROTATIONS, threads))
        wait_for(lambda: size_of(os.path.join(out, "checkpoint.tsl")) > 1 << 16, self.run)
        self.stop()

    def go_on(self):
        self.run.send_signal(signal.SIGCONT)

    def stop(self):
        if self.run.poll() is not None:
            sys.exit("ranks.py: the load ended")
        self.run.send_signal(signal.SIGSTOP)
        time.sleep(0.5)  # what it had queued is done

    def end(self):
        self.run.kill()
        self.run.wait()


def size_of(path):
    return os.path.getsize(path) if os.path.exists(path) else -1


def wait_for(happens, run):
    while not happens():
        if run.poll() is not None:
            sys.exit("ranks.py: a search ended early")
        time.sleep(0.0005)


def rate_alone(bench, device, threads):
    """Rotations a second, of a run of three seconds or more."""
    rotations = 256
    while True:
        rank = bench.dock(device, threads, rotations)["results"]["ranks"][0]
        if rank["seconds"] >= 3:
            return rank["rotations"] / rank["seconds"]
        rotations = math.ceil(rotations * min(100, 3.5 / rank["seconds"]))


def slowed_once(bench, devices, load, rates, beside):
    """One search; the load comes when half of the time it would take without has gone by."""
    count = bench.arguments.rotations
    at = count / sum(rates) / 2

    def meanwhile(out, run):
        # The search begins when each rank has a checkpoint.
        wait_for(lambda: size_of(os.path.join(out, "checkpoint.1.tsl")) >= 0, run)
        time.sleep(at)
        load.go_on()

    report = bench.dock(devices, meanwhile=meanwhile)
    load.stop()
    seconds = [ended(rank) for rank in report["results"]["ranks"]]
    longest = max(seconds)
    if longest <= at:
        sys.exit("ranks.py: the load came too late: more --rotations are needed")
    ideal = at + (count - sum(rates) * at) / sum(beside)
    tail = sum((longest - own) * rate for own, rate in zip(seconds, beside)) / sum(beside)
    return {
        "load_at": at,
        "seconds": seconds,
        "rotations": [rank["rotations"] for rank in report["results"]["ranks"]],
        "ideal": ideal,
        "over_ideal": longest / ideal,
        "over_without_tail": longest / (longest - tail),
    }


def slowed(bench):
    """A fast device beside a slow one; the fast one slows down half-way."""
    fast, slow = device_list(bench.arguments.kind, 1), bench.arguments.slow
    devices = f"{fast},{slow}"
    first = bench.dock(devices, rotations=512)
    ranks = first["results"]["ranks"]
    pairs = [(fast, ranks[0]["threads"]), (slow, ranks[1]["threads"])]
    load = Load(bench, *pairs[0])
    try:
        rates = [rate_alone(bench, *pair) for pair in pairs]
        load.go_on()
        beside = [rate_alone(bench, *pair) for pair in pairs]
        load.stop()
        runs = [slowed_once(bench, devices, load, rates, beside)
                for _ in range(bench.arguments.repeats)]
    finally:
        load.end()
    return {"devices": devices, **origin(first), "threads": [pair[1] for pair in pairs],
            "rates_alone": rates, "rates_beside_load": beside, "runs": runs,
            "over_ideal": statistics.median(run["over_ideal"] for run in runs),
            "over_without_tail": statistics.median(run["over_without_tail"] for run in runs)}


def print_slowed(row):
    alone, beside = row["rates_alone"], row["rates_beside_load"]
    print(f"{row['devices']}: alone {alone[0]:.1f} + {alone[1]:.1f} rotations a second, "
          f"beside the load {beside[0]:.1f} + {beside[1]:.1f}")
    for run in row["runs"]:
        ended = " and ".join(f"{seconds:.4f}" for seconds in run["seconds"])
        print(f"load at {run['load_at']:.3f} s, ranks ended after {ended} s, ideal "
              f"{run['ideal']:.4f} s: {run['over_ideal']:.3f} times, "
              f"{run['over_without_tail']:.4f} times by idle tails alone")
    print(f"median {row['over_ideal']:.3f}, {row['over_without_tail']:.4f} by idle tails alone")


def write(arguments, what):
    if arguments.json:
        search = {"grid": arguments.grid, "search": f"spiral:{arguments.rotations}"}
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(search | what, file, indent=2)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tesela")
    parser.add_argument("--kind", default="cuda")
    parser.add_argument("--most", type=int, default=4)
    parser.add_argument("--grid", type=int, default=128)
    parser.add_argument("--rotations", type=int)
    parser.add_argument("--slowed", action="store_true", help="one device slows down half-way")
    parser.add_argument("--slow", default="cpu", help="'' leaves the mixed run out")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json")
    arguments = parser.parse_args()
    arguments.rotations = arguments.rotations or (200000 if arguments.slowed else 54000)
    if arguments.slowed:
        with tempfile.TemporaryDirectory() as folder:
            row = slowed(Bench(arguments, folder))
        print_slowed(row)
        write(arguments, {"slowed": row})
        return
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
            rates = [rate_alone(bench, share[0], share[1]) for share in mixed["shares"]]
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
    write(arguments, {"runs": rows, "mixed": mixed})


main()
