"""tesela fft study: the table, its files, wrong transforms, and command lines that make no sense."""

import csv
import json
import os
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True  # leave the source tree as it is
from command import TESELA, CommandTest

WRONG = os.path.join(os.path.dirname(TESELA), "tests", "plugins", "libtest_wrong_fftw.so")
QUICK = ["fft", "study", "--device", "cpu"]
SMALL = [*QUICK, "--sizes", "8", "--most", "16K"]
COLUMNS = ["device", "dimension", "size", "type", "precision", "stride", "batch", "data_bytes",
           "workspace_bytes", "seconds", "seconds_per_transform", "gb_per_second",
           "gflop_per_second", "transposed_seconds", "transposed_one_way_seconds", "error",
           "error_bound"]


class Study(CommandTest):
    def measure(self, *arguments):
        """Run, and return what was printed and the rows of the CSV file."""
        result = self.run_command(*arguments, "--csv", "out.csv")
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(self.path("out.csv"), encoding="ascii", newline="") as file:
            reader = csv.DictReader(file)
            rows = list(reader)
            self.assertEqual(reader.fieldnames, COLUMNS)
        return result, rows

    def test_rows(self):
        result, rows = self.measure(*SMALL, "--precision", "single,double")
        self.assertEqual({(row["dimension"], row["type"], row["precision"]) for row in rows},
                         {(d, t, p) for d in "123" for t in ("c2c", "r2c", "c2r")
                          for p in ("single", "double")})
        self.assertEqual({row["stride"] for row in rows if row["dimension"] == "1"}, {"1", "8"})
        for row in rows:
            cells, batch = 8 ** int(row["dimension"]), int(row["batch"])
            real = 4 if row["precision"] == "single" else 8
            data = cells * batch * real * (2 if row["type"] == "c2c" else 1)
            self.assertEqual(int(row["data_bytes"]), data)
            seconds = float(row["seconds"])
            self.assertTrue(0 < seconds < 60, row)
            self.assertAlmostEqual(float(row["seconds_per_transform"]) * batch, seconds,
                                   delta=1e-4 * seconds)
            flops = (5 if row["type"] == "c2c" else 2.5) * cells * 3 * int(row["dimension"]) * batch
            self.assertAlmostEqual(1e9 * float(row["gflop_per_second"]) * seconds, flops,
                                   delta=1e-4 * flops)
            self.assertLess(float(row["error"]), float(row["error_bound"]))
            self.assertEqual(row["transposed_seconds"] != "", row["stride"] != "1")
            self.assertEqual(row["transposed_one_way_seconds"] != "", row["stride"] != "1")
        self.assertIn(f"{len(rows)} batches of transforms on cpu, all verified", result.stdout)

    def test_usual_batches(self):
        _, rows = self.measure(*QUICK, "--dimension", "1", "--sizes", "10", "--type", "r2c",
                               "--stride", "1,n,n^2", "--most", "20000")
        batches = {}
        for row in rows:
            batches.setdefault(row["stride"], []).append(int(row["batch"]))
        self.assertEqual(batches, {"1": [1, 4, 16, 64], "10": [1, 4, 10, 40, 160],
                                   "100": [1, 4, 16, 64, 100]})

    def test_rules_and_map_are_printed(self):
        result, _ = self.measure(*QUICK, "--dimension", "1,3", "--sizes", "6,5", "--batch", "5,10",
                                 "--stride", "1,n")
        for words in ("1-D       6 c2c double", "3-D       5 c2r double", "memory   of a plan",
                      "knee ", "plateau  none in", "25 to 50 MiB, which holds in 0",
                      "Never transposing takes", "5 r2c double stride 5: 5 "):
            self.assertIn(words, result.stdout)
        self.assertIn("3 combinations are left out", result.stderr)  # batch 10, stride 6

    def test_every_order_of_sim(self):
        for device in ("sim", "sim:reversed", "sim:strided"):
            result, rows = self.measure("fft", "study", "--device", device, "--dimension", "1",
                                        "--sizes", "12,15", "--batch", "6,60", "--stride", "1,20")
            self.assertEqual(result.stderr, "")
            self.assertEqual(len(rows), 3 * 2 * 4)
            self.assertEqual({row["device"] for row in rows}, {device})

    def test_figure_and_json(self):
        result = self.run_command(*SMALL, "--figure", "out.svg", "--json", "-")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("all verified", result.stderr)  # the table makes way
        report = json.loads(result.stdout)
        self.assertEqual((report["command"], report["verified"]), ("fft study", True))
        found = report["results"]
        self.assertEqual(len(found["measurements"]), len(found["cases"]))
        self.assertEqual(sum(series["batches"] for series in found["series"]),
                         len(found["measurements"]))
        strided = [row for row in found["measurements"] if row["stride"] > 1]
        self.assertEqual(found["transposing"]["batches"], len(strided))
        self.assertEqual(found["transposing"]["faster"],
                         sum(row["transposed_seconds"] < row["seconds"] for row in strided))
        with open(self.path("out.svg"), encoding="utf-8") as file:
            self.assertIn("<svg", file.read())

    def test_wrong_transforms(self):
        environment = {**os.environ, "LD_PRELOAD": WRONG}
        environment["ASAN_OPTIONS"] = \
            environment.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
        result = subprocess.run([TESELA, *SMALL, "--dimension", "2", "--type", "c2c,r2c"],
                                env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, check=False, timeout=240)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertRegex(result.stdout, r"\d+ of them WRONG")
        self.assertRegex(result.stderr, r"tesela: error: (\d+) of \d+ batches are wrong, the first "
                         r"of them 2-D 8 r2c double batch 1 stride 1: its error is")


class Wrong(CommandTest):
    def test_command_line(self):
        for arguments, words in (
                ([], ["tesela fft study"]),
                (["bench"], ["'bench'", "study"]),
                (["study", "study"], ["'study'"]),
                (["study", "--dimension", "4"], ["--dimension '4'", "1 to 3"]),
                (["study", "--sizes", "8,,9"], ["--sizes ''", "2 to 16777216"]),
                (["study", "--sizes", "1"], ["--sizes '1'"]),
                (["study", "--sizes", "8,9,8"], ["--sizes '8,9,8'", "'8' stands there twice"]),
                (["study", "--sizes", ",".join(str(i) for i in range(2, 70))], ["at most 64"]),
                (["study", "--type", "d2z"], ["--type 'd2z'", "c2c, r2c or c2r"]),
                (["study", "--precision", "half"], ["--precision 'half'", "double or single"]),
                (["study", "--batch", "0"], ["--batch '0'"]),
                (["study", "--stride", "n^3"], ["--stride 'n^3'", "n or n^2"]),
                (["study", "--most", "2T"], ["--most '2T'", "at most 1T"]),
                (["study", "--most", "x"], ["--most 'x'"]),
                (["study", "--most", "16"], ["nothing to measure", "--most"]),
                (["study", "--dimension", "1", "--batch", "6", "--stride", "4"],
                 ["nothing to measure: 9 combinations"]),
                (["study", "--dimension", "2,3", "--stride", "2"], ["--stride", "add 1 to --dimension"]),
                (["study", "--threads", "2"], ["--threads 2", "one thread"]),
                (["study", "--csv", "no/such/file"], ["--csv", "no/such"]),
                (["study", "--figure", "no/such.svg"], ["--figure", "no/such.svg"]),
                (["study", "--figure", "map.jpg"], ["--figure map.jpg", ".png"]),
                (["study", "--device", "gpu"], ["unknown device 'gpu'"])):
            self.assert_refused(["fft", *arguments], words)

    def test_memory_is_foreseen(self):
        result = self.run_command("fft", "study", "--device", "sim", "--dimension", "3", "--sizes",
                                  "8,1024", "--type", "c2c", "--batch", "1", "--most", "64G")
        self.assertEqual((result.returncode, result.stdout), (3, ""))
        self.assertIn("3-D 1024 c2c double batch 1 stride 1 need 32.0 GiB, 8.0 GiB are free",
                      result.stderr)


if __name__ == "__main__":
    unittest.main()
