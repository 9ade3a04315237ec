"""`tesela poisson bench --profile` and `study`: stages, segments and scaling of ranks."""

import csv
import json
import math
import os
import sys
import unittest

sys.dont_write_bytecode = True  # leave the source tree as it is
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from command import CommandTest


class Measures(CommandTest):
    """Of times only what does not depend on the machine."""

    def measure(self, *arguments):
        result = self.run_command("poisson", *arguments, "--threads", "1", "--json", "run.json")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        with open(self.path("run.json"), encoding="utf-8") as file:
            return json.load(file)["results"], result.stdout

    def test_stages(self):
        common = {"exchange", "packing", "waiting for ranks", "other"}
        fused = "first axis, spectrum"
        for devices, plan, names in (
                ("cpu,cpu", "ranks=2x1", {"transforms: planes", fused}),
                ("cpu,cpu,cpu", "ranks=1x3", {"transforms: rows", "transforms: second axis", fused}),
                ("sim,sim", "ranks=2x1,form=plain,exchange=staged",
                 {"transforms: planes", "transforms: first axis", "spectrum", "copies to the host",
                  "copies from the host"})):
            results, told = self.measure("bench", "--device", devices, "--n", "16", "--repeat", "2",
                                         "--profile", "--plan", plan)
            stages = {stage["stage"]: stage for stage in results["stages"]}
            self.assertEqual(set(stages), common | names)
            total = sum(stage["seconds"] for stage in results["stages"])
            self.assertLess(abs(total / results["seconds_by_stages"] - 1), 0.02)
            self.assertEqual(results["exchange"], "staged" if "staged" in plan else "direct")
            for name in stages:
                self.assertIn(name, told)
        results, told = self.measure("bench", "--device", "cpu,cpu", "--n", "8", "--repeat", "1")
        self.assertEqual((results["stages"], results["seconds_by_stages"]), ([], None))
        self.assertNotIn("packing", told)

    def test_a_device_alone_has_no_stages(self):
        result = self.run_command("poisson", "bench", "--device", "sim", "--n", "8", "--repeat", "1",
                                  "--profile")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("sim goes through a solve as one stage", result.stderr)

    def test_looking_is_told(self):
        result = self.run_command("poisson", "bench", "--device", "cpu,cpu", "--n", "16", "--repeat",
                                  "2", "--profile", "--plan", "measure=on")
        self.assertEqual(result.returncode, 0, result.stderr)
        spans = [line.split()[0] for line in result.stderr.splitlines() if line]
        self.assertEqual(spans.count("measure"), 1)
        measured = [line for line in result.stderr.splitlines() if line.startswith("measure ")]
        self.assertEqual(measured[0].split()[-1], "1")

    def rows(self, name):
        with open(self.path(name), encoding="ascii") as file:
            return list(csv.DictReader(file))

    def test_segments(self):
        for devices, plan in (("cpu,cpu", "ranks=2x1"), ("sim,sim", "exchange=staged")):
            results, told = self.measure("study", "segments", "--device", devices, "--n", "32",
                                         "--repeat", "2", "--plan", plan, "--csv", "out.csv",
                                         "--figure", "out.svg")
            runs = results["runs"]
            self.assertGreaterEqual(len(runs), 3)
            self.assertEqual([(runs[0]["segments"], runs[0]["overlap"], runs[0]["relative"])],
                             [(1, False, 1)])
            for off, on in zip(runs[1::2], runs[2::2]):
                self.assertEqual(off["segments"], on["segments"])
                self.assertEqual((off["overlap"], on["overlap"]), (False, True))
            pieces = [run["segments"] for run in runs[::2]]
            self.assertEqual(pieces, sorted(set(pieces)))
            table = self.rows("out.csv")
            self.assertEqual(len(table), len(runs))
            for run, row in zip(runs, table):
                self.assertEqual(int(row["segments"]), run["segments"])
                self.assertAlmostEqual(run["seconds_median"] * run["relative"],
                                       runs[0]["seconds_median"])
                self.assertLessEqual(run["seconds_fastest"], run["seconds_median"])
            self.assertEqual(told.count(" on "), 1 + len(runs) // 2)
            with open(self.path("out.svg"), encoding="utf-8") as file:
                self.assertIn("<svg", file.read())

    def test_what_is_passed_over_is_said(self):
        run = ["poisson", "bench", "--n", "16", "--repeat", "2", "--threads", "1", "--device"]
        two = "cpu,cpu"
        for devices, plan, words in (("cpu", "segments=4", "one rank exchanges nothing"),
                                     ("cpu", "overlap=on", "one rank exchanges nothing"),
                                     ("cpu", "measure=on", "one rank exchanges nothing"),
                                     (two, "ranks=1x1,overlap=on", "one of the 2 ranks solves"),
                                     (two, "ranks=2x1,overlap=on", "exchanges go in one segment"),
                                     (two, "ranks=2x1,segments=99", "of 99 segments"),
                                     (two, "ranks=2x1,overlap=off", None), ("cpu", "overlap=off", None)):
            result = self.run_command(*run, devices, "--plan", plan, "--json", "run.json")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(self.read_json("run.json")["parameters"]["plan"], plan)
            notes = [line for line in result.stderr.splitlines() if "--plan" in line]
            self.assertEqual(len(notes), 1 if words else 0, result.stderr)
            self.assertIn(words or "", "".join(notes))
        study = ["poisson", "study", "segments", "--n", "16", "--repeat", "1", "--device", two]
        self.assertIn("one segment only: take more cells", self.run_command(*study).stderr)
        self.assert_refused([*study, "--plan", "ranks=1x1"], ["ranks=1x1 exchange nothing"])

    def test_a_median_is_between(self):
        results, _ = self.measure("bench", "--device", "cpu", "--n", "8", "--repeat", "2")
        self.assertAlmostEqual(results["seconds_median"] / results["seconds_mean"], 1)

    def test_scaling(self):
        results, _ = self.measure("study", "scaling", "--device", "cpu,cpu,cpu", "--n", "16,8,8",
                                  "--repeat", "2", "--csv", "out.csv")
        runs = results["runs"]
        self.assertEqual([(run["study"], run["ranks"]) for run in runs],
                         [(name, [ranks, 1]) for name in ("strong", "weak") for ranks in (1, 2, 3)])
        self.assertEqual([run["n"] for run in runs], 3 * [[16, 8, 8]]
                         + [[16, 8, 8], [16, 16, 8], [16, 24, 8]])
        for first, run in zip(3 * runs[:1] + 3 * runs[3:4], runs):
            ranks = run["ranks"][0] if run["study"] == "strong" else 1
            self.assertAlmostEqual(run["relative"] * ranks * run["seconds_median"],
                                   first["seconds_median"])
            cells = math.prod(run["n"])
            self.assertAlmostEqual(run["gflops"] * run["seconds_median"] * 1e9,
                                   10 * cells * math.log2(cells), 3)
            self.assertAlmostEqual(run["gb_per_second"] * run["seconds_median"] * 1e9, 16 * cells, 3)
        self.assertEqual([row["study"] for row in self.rows("out.csv")],
                         3 * ["strong"] + 3 * ["weak"])

    def test_what_does_not_fit_is_refused_before_the_first_row(self):
        """The strong rows fit, and would take hours."""
        study = ["poisson", "study", "scaling", "--n", "32", "--boundary", "free", "--threads", "1",
                 "--memory", "4M", "--csv", "out.csv", "--repeat"]
        for devices in ("cpu,cpu", "sim,sim"):
            self.assert_refused([*study, "1000000", "--device", devices],
                                ["64 x 32 x 32", "4.0 MiB are allowed"])
            for ranks in ("ranks=1x1", "ranks=1x2"):
                result = self.run_command("poisson", "bench", "--n", "32", "--boundary", "free",
                                          "--memory", "4M", "--repeat", "1", "--device", devices,
                                          "--plan", ranks)
                self.assertEqual(result.returncode, 0, result.stderr)


if __name__ == "__main__":
    unittest.main()
