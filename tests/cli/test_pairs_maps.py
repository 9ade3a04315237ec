"""`tesela pairs maps` and `ladder`: counts by closed forms, and the table that is written."""

import sys
import unittest

sys.dont_write_bytecode = True  # leave the source tree as it is
from command import CommandTest


class Maps(CommandTest):
    def test_table(self):
        for device in ("cpu", "sim"):
            result = self.run_command("pairs", "maps", "--cells", "64", "--side", "8",
                                      "--rows-tried", "5000", "--device", device)
            self.assertEqual(result.returncode, 0, result.stderr)
            table = [line.split() for line in result.stdout.splitlines()]
            rows = {row[0]: row[1:] for row in table if len(row) == 6}
            # launches, blocks, idle blocks, idle threads: closed forms of 8 x 8 tiles
            self.assertEqual(rows["box"], ["1", "64", "28", str(64 * 63 // 2), "right"])
            self.assertEqual(rows["fold"], ["1", "36", "0", str(64 * 7 // 2), "right"])
            self.assertEqual(rows["flat"], ["1", "32", "0", str(64 * 7 // 4), "right"])
            self.assertEqual(rows["basic"], rows["flat"])
            self.assertEqual(rows["persistent"][0], "1")
            self.assertEqual(rows["persistent"][2:], ["0", "0", "right"])
            self.assertIn("single               4607", result.stdout)
            self.assertIn("reciprocal and 1e-4  2073", result.stdout)

    def test_refusals(self):
        self.assert_refused(["pairs", "maps", "--cells", "-1"], ["--cells"])
        self.assert_refused(["pairs", "maps", "--side", "16", "--rows", "5"], ["--rows"])
        self.assert_refused(["pairs", "maps", "--side", "64", "--rows", "32"], ["1024"])
        self.assert_refused(["pairs", "maps", "x"], ["takes no arguments"])
        self.assert_refused(["pairs", "maps", "--cells", "70000", "--device", "sim"],
                            ["out of memory", "counts of cells"], status=3)


class Ladder(CommandTest):
    def test_every_map_writes_every_element(self):
        task = ["pairs", "ladder", "--most", "256", "--repeats", "3", "--device", "sim", "-o", "l.csv"]
        result = self.run_command(*task, "--figure", "l.svg")
        drawn = "no Cairo" not in result.stderr
        result = result if drawn else self.run_command(*task)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("elements up to 2048 cells a side: all right", result.stdout)
        with open(self.path("l.csv"), encoding="ascii") as file:
            rows = [line.split(",") for line in file][1:]
        self.assertEqual(len(rows), 2 * (4 * 10 + 1))
        self.assertLessEqual({"basic", "persistent", "fold", "packed"}, {row[2] for row in rows})
        self.assertEqual(len({(row[0], row[1], row[2]) for row in rows}), len(rows))
        for row in rows:
            self.assertLessEqual(float(row[4]), float(row[3]))
            self.assertLessEqual(float(row[3]), float(row[5]))
        with open(self.path("l.svg" if drawn else "l.csv"), encoding="utf-8") as file:
            self.assertIn("<svg" if drawn else "persistent", file.read())
        self.assert_refused(["pairs", "ladder", "--most", "64"], ["--most"])


if __name__ == "__main__":
    unittest.main()
