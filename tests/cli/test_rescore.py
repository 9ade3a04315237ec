# ctest: full with sanitizers
"""Scores for the poses of a list that is there already."""

import json
import os
import sys
import unittest

sys.dont_write_bytecode = True  # leave the source tree as it is
from command import LIGAND, RECEPTOR, SMALL, SOURCE, CommandTest, contents, rows


class Rescore(CommandTest):
    def rescore(self, path, *arguments, folder="rescored"):
        result = self.run_command("dock", RECEPTOR, LIGAND, "--rescore", path, "-o", folder,
                                  "--threads", "1", *SMALL[2:3], *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return rows(self.path(folder, "ftdock_global.dat"))

    def search(self, *arguments):
        self.dock("searched", *arguments)
        path = self.path("searched", "ftdock_global.dat")
        return path, rows(path)

    def test_round_trip(self):
        """Direct sums give what the transform gave: the same list, with its own ranks."""
        for arguments in ([], ["--no-electrostatics"], ["--electrostatics", "trilinear"],
                          ["--core", "-7", "--surface", "3"], ["--spacing", "2.4"]):
            path, searched = self.search(*arguments)
            rescored = self.rescore(path)
            self.assertEqual([row[2:] for row in rescored], [row[2:] for row in searched],
                             arguments)
            self.assertEqual([row[1] for row in rescored], list(range(1, len(searched) + 1)))
            if not arguments:
                found, expected = contents(self.path("rescored")), contents(self.path("searched"))
                for name in ("zdock.out", "poses/complex.0001.pdb", "poses/complex.0010.pdb"):
                    self.assertEqual(found[name], expected[name], name)

    def test_other_scores_give_another_order(self):
        path, searched = self.search()
        rescored = self.rescore(path, "--core", "-5", "--top", "40")
        self.assertEqual(len(rescored), 40)
        self.assertEqual([row[0] for row in rescored], list(range(1, 41)))
        self.assertEqual([row[2] for row in rescored],
                         sorted((row[2] for row in rescored), reverse=True))
        for _, previous, score, _, shift, angles in rescored:
            self.assertEqual((shift, angles), searched[previous - 1][4:])
            self.assertGreaterEqual(score, searched[previous - 1][2])

    def test_list_of_ftdock_itself(self):
        """Scores of the published list: FTDock cuts off what we round, so ours may be one more."""
        path = os.path.join(SOURCE, "tests", "golden", "trypsin-bpti.grid96-step20.ftdock.dat")
        listed = rows(path)
        more = 0
        for _, previous, score, ratio, shift, angles in self.rescore(path, "--poses", "0"):
            _, _, old_score, old_ratio, old_shift, old_angles = listed[previous - 1]
            self.assertEqual((shift, angles), (old_shift, old_angles))
            self.assertIn(score - old_score, (0, 1))
            self.assertAlmostEqual(ratio, old_ratio, delta=0.1)
            more += score > old_score
        self.assertGreater(more, 0)

    def test_report(self):
        path, _ = self.search()
        self.rescore(path)
        with open(self.path("rescored", "run.json"), encoding="utf-8") as file:
            report = json.load(file)
        self.assertIsNone(report["verified"])
        self.assertEqual(report["parameters"]["rescore"], path)
        self.assertEqual(report["parameters"]["grid"], 48)
        self.assertIsNone(report["parameters"]["top"])
        self.assertEqual(report["results"]["poses"], 1800)

    def test_refused(self):
        rescore = ["dock", RECEPTOR, LIGAND, "-o", "out", "--rescore"]
        self.assert_refused([*rescore, "missing.dat"], ["missing.dat"])
        self.assert_refused([*rescore, self.write("empty.dat", "")], ["empty.dat"])
        self.assert_refused([*rescore, RECEPTOR], ["trypsin.pdb", "FTDock"])
        row = "G_DATA {0:6d}        0    {1:7d}          1.000      {2:4d}    0    0" + 3 * "   0"
        row += "\n"
        self.write("rows.dat", row.format(1, 50, 3))
        self.assert_refused([*rescore, "rows.dat"], ["rows.dat", "give --grid"])
        self.write("far.dat", row.format(1, 50, 3) + row.format(2, 40, 30))
        self.assert_refused([*rescore, "far.dat", *SMALL[:4]], ["far.dat", "30"])
        self.write("broken.dat", row.format(1, 50, 3)[:40] + "\n")
        self.assert_refused([*rescore, "broken.dat", *SMALL[:4]], ["broken.dat:1"])

    def test_rows_alone_with_a_grid(self):
        path, searched = self.search()
        with open(path, encoding="ascii") as whole:
            self.write("rows.dat", "".join(line for line in whole if line.startswith("G_DATA")))
        rescored = self.rescore("rows.dat", *SMALL[:4])
        self.assertEqual([row[2:] for row in rescored], [row[2:] for row in searched])

    def test_does_not_replace_the_list_it_reads(self):
        path, _ = self.search()
        before = contents(self.path("searched"))
        self.assert_refused(["dock", RECEPTOR, LIGAND, "--rescore", path, "-o", "searched"],
                            ["--rescore", "choose another folder"])
        self.assertEqual(contents(self.path("searched")), before)


if __name__ == "__main__":
    unittest.main()
