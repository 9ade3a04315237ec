"""tesela dock ladder: every version writes the same files, by the switches its name says."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True  # leave the source tree as it is
from command import LIGAND, RECEPTOR, TESELA, CommandTest, contents

ROTATIONS = 13
LADDER = ["dock", "ladder", RECEPTOR, LIGAND, "--grid", "32", "--surface", "3.5", "--rotations",
          f"spiral:{ROTATIONS}", "--poses", "1", "--repeat", "2"]
VERSIONS = ["one-core", "all-cores", "fft-on-gpu-only", "all-on-gpu", "buffered-output",
            "static-split", "weighted-split", "one-device", "all-devices"]
ON_GPU = {"fft-on-gpu-only", "all-on-gpu", "buffered-output", "one-device"}
ON_ALL = {"static-split", "weighted-split", "all-devices"}


class Ladder(CommandTest):
    def measure(self, devices, *arguments):
        """Run; returns what was printed, the report, and the rows of the CSV file."""
        result = self.run_command(*LADDER, "--device", devices, "--json", "out.json", "--csv",
                                  "out.csv", *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(self.path("out.json"), encoding="utf-8") as file:
            report = json.load(file)
        with open(self.path("out.csv"), encoding="utf-8", newline="") as file:
            return result.stdout, report, list(csv.DictReader(file))

    def report_of(self, name):
        """run.json of a version, and how often its stages were called."""
        with open(self.path("out", name, "run.json"), encoding="utf-8") as file:
            report = json.load(file)
        return report, {stage["stage"]: stage["calls"] for stage in report["profile"]}

    def assert_sane(self, report, rows, asked=VERSIONS):
        versions = report["results"]["versions"]
        self.assertEqual([version["name"] for version in versions], asked)
        self.assertEqual([row["version"] for row in rows], asked)
        self.assertIs(report["verified"], True)
        mean, search = ({version["name"]: version[clock] for version in versions}
                        for clock in ("seconds", "search"))
        for version, row in zip(versions, rows):
            if version["seconds"] is None:
                self.assertTrue(version["reason"])
                self.assertEqual((version["runs"], version["same"]), ([], None))
                self.assertEqual((row["seconds"], row["reason"]), ("", version["reason"]))
                continue
            runs = version["runs"]
            self.assertEqual((len(runs), version["same"], row["same_list"]), (2, True, "yes"))
            self.assertAlmostEqual(version["seconds"], sum(runs) / 2)
            self.assertAlmostEqual(version["spread"], abs(runs[0] - runs[1]) / 2 ** 0.5)
            self.assertTrue(0 < version["search"] < version["seconds"])
            for base, name in (("one-core", "over_one_core"), ("all-cores", "over_all_cores")):
                self.assertAlmostEqual(version[name], mean[base] / version["seconds"])
                self.assertAlmostEqual(version["search_" + name], search[base] / version["search"])
                for column in (name, "search_" + name):
                    self.assertAlmostEqual(float(row[column]) / version[column], 1, delta=1e-4)
        return {version["name"] for version in versions if version["runs"]}

    def assert_same_files(self, names):
        self.assertEqual(set(os.listdir(self.path("out"))), names)
        files = contents(self.path("out", "one-core"))
        self.assertIn("ftdock_global.dat", files)
        for name in names:
            self.assertEqual(contents(self.path("out", name)), files, name)

    def test_gpus(self):
        """All of it, on the imitated GPU: each version is what it says."""
        printed, report, rows = self.measure("sim,cpu", "-o", "out")
        self.assertEqual(self.assert_sane(report, rows), set(VERSIONS))
        self.assert_same_files(set(VERSIONS))
        for name in VERSIONS:
            self.assertEqual(printed.count(f"\n{name} "), 1, printed)
            report, calls = self.report_of(name)
            plain = name not in ("one-core", "all-cores", "one-device", "all-devices")
            ranks = [rank["rotations"] for rank in report["results"]["ranks"]]
            self.assertEqual(report["parameters"]["correlation"], "plain" if plain else "lines")
            self.assertEqual(report["results"]["plan"]["batch"] == 1, plain, name)
            self.assertEqual(report["ranks"], 2 if name in ON_ALL else 1)
            self.assertEqual(sum(ranks), ROTATIONS)
            if name == "static-split":  # in the last run too, when the rates are known
                self.assertEqual(sorted(ranks), [ROTATIONS // 2, ROTATIONS // 2 + 1])
                rates = [rank["rate"] for rank in report["results"]["ranks"]]
            if name == "weighted-split":
                for part, rate in zip(ranks, rates):
                    self.assertLessEqual(abs(part - ROTATIONS * rate / sum(rates)), 1)
            if name in ("fft-on-gpu-only", "all-on-gpu"):
                self.assertEqual(calls["keep poses"], ROTATIONS)
            if name in ("buffered-output", "static-split", "weighted-split"):
                self.assertEqual(calls["keep poses"], 1)
            if name in ON_ALL:
                self.assertEqual(report["device"], "sim,cpu")
            else:
                self.assertEqual(report["device"], "sim" if name in ("all-on-gpu", "one-device",
                                                                     "buffered-output") else "cpu")

    def test_variant(self):
        """Those that are named, and what they are compared with; the table has both clocks."""
        printed, report, rows = self.measure("sim,cpu", "--variant", "v3,all-devices")
        asked = ["one-core", "all-cores", "buffered-output", "all-devices"]
        self.assertEqual(self.assert_sane(report, rows, asked), set(asked))
        self.assertEqual(report["parameters"]["variants"], "v3,all-devices")
        table = printed.splitlines()[-len(asked):]
        for line, version in list(zip(table, report["results"]["versions"]))[1:]:
            columns = line[24:].replace("±", " ").split()
            self.assertEqual(line.split()[0], version["name"])
            self.assertEqual(columns, [
                f"{version['seconds']:.4f}", f"{version['spread']:.4f}",
                *(f"{version[name]:.2f}" for name in ("over_one_core", "over_all_cores")),
                f"{version['search']:.4f}",
                *(f"{version['search_' + name]:.2f}"
                  for name in ("over_one_core", "over_all_cores")), version["devices"]])

    def test_variant_needs_another(self):
        """The weighted split takes the rates of the static one."""
        for name in ("6", "weighted-split"):
            _, report, rows = self.measure("cpu,cpu", "--variant", name, "--no-electrostatics")
            asked = ["one-core", "all-cores", "static-split", "weighted-split"]
            self.assertEqual(self.assert_sane(report, rows, asked), set(asked))
        _, report, rows = self.measure("cpu,cpu", "--variant", "V5", "--no-electrostatics")
        self.assertEqual(self.assert_sane(report, rows, asked[:3]), set(asked[:3]))

    def test_cpu(self):
        """Without a GPU its rows say so; without -o nothing stays."""
        os.mkdir(self.path("scratch"))
        os.environ["TMPDIR"] = self.path("scratch")
        self.addCleanup(os.environ.pop, "TMPDIR")
        for devices, expected in (("cpu", set()), ("cpu,cpu,cpu", ON_ALL)):
            printed, report, rows = self.measure(devices, "--no-electrostatics")
            self.assertEqual(self.assert_sane(report, rows), {"one-core", "all-cores"} | expected)
            self.assertEqual(printed.count("the first device, cpu, is no GPU"), len(ON_GPU))
            self.assertEqual(printed.count("there is one device"), len(ON_ALL - expected))
            self.assertEqual(os.listdir(self.path("scratch")), [])

    def test_interrupted(self):
        os.mkdir(self.path("scratch"))
        process = subprocess.Popen(
            [TESELA, *LADDER[:8], "--rotations", "spiral:100000", "--device", "cpu,cpu"],
            cwd=self.folder, env={**os.environ, "TMPDIR": self.path("scratch")}, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while process.poll() is None and not os.listdir(self.path("scratch")):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + signal.SIGINT, errors)
        self.assertIn("interrupted: 0 of 9 versions are measured", errors)
        self.assertEqual(os.listdir(self.path("scratch")), [])


class Wrong(CommandTest):
    def test_command_line(self):
        pair = [RECEPTOR, LIGAND]
        for arguments, words in (
                (["ladder"], ["RECEPTOR and LIGAND are missing", "ladder RECEPTOR LIGAND"]),
                (["ladder", RECEPTOR], ["LIGAND is missing"]),
                ([*LADDER[1:], "--repeat", "0"], ["--repeat '0'", "1 to 100"]),
                ([*LADDER[1:], "--variant", "V7"], ["--variant 'V7'", "V1 to V6", "one-device"]),
                ([*LADDER[1:], "--variant", "V1,"], ["--variant ''"]),
                ([*pair, "-o", "out", "--variant", "V1"], ["--variant", "tesela dock ladder"]),
                ([*LADDER[1:], "--csv", "no/such/file"], ["--csv", "no/such"]),
                ([*LADDER[1:], "--resume"], ["--resume", "ladder"]),
                (["ladder", "--list", "pairs.tsv"], ["--list", "ladder"]),
                ([*pair, "-o", "out", "--repeat", "3"], ["--repeat", "tesela dock ladder"]),
                ([*pair, "-o", "out", "--csv", "a.csv"], ["--csv", "tesela dock ladder"]),
                (["ladder", "nowhere.pdb", LIGAND, "--device", "cpu"], ["nowhere.pdb"]),
                (["ladder", *pair, "--device", "cpu,cpu", "--memory", "10K"], ["memory bound"])):
            self.assert_refused(["dock", *arguments], words)


if __name__ == "__main__":
    unittest.main()
