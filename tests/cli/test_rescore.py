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

    SCORED = ["--score", "complementarity", "--spacing", "2"]

    def scored(self, folder, *arguments, how=SCORED):
        result = self.run_command("dock", RECEPTOR, LIGAND, "-o", folder, "--poses", "0",
                                  "--threads", "1", *how, *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return rows(self.path(folder, "ftdock_global.dat"))

    def potentials(self, name, *bins):
        table = "".join(f"{edge}  # angstrom\n\n" + f"{' '.join(18 * [str(value)])}\n" * 18
                        for edge, value in bins)
        return self.write(name, table)

    def test_ranked_anew_by_pairs(self):
        """The first poses of a list by another order, after a search and of a list that is there."""
        searched = self.scored("searched", "--rotations", "spiral:60")
        first = {(shift, angles): (rank, score)
                 for rank, _, score, _, shift, angles in searched[:30]}
        ranked = self.scored("ranked", "--rotations", "spiral:60", "--rerank", "30")
        self.assertEqual(len(ranked), 30)
        self.assertNotEqual([row[1] for row in ranked], list(range(1, 31)))
        for _, previous, score, _, shift, angles in ranked:
            self.assertEqual(first[shift, angles][0], previous)
            self.assertNotEqual(score, first[shift, angles][1])
        self.assertEqual([row[2] for row in ranked],
                         sorted((row[2] for row in ranked), reverse=True))
        path = self.path("searched", "ftdock_global.dat")
        again = self.scored("again", "--rescore", path, "--rerank", "30")
        self.assertEqual(again, ranked)
        with open(self.path("again", "run.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["parameters"]["rerank"], 30)
        # potentials of nothing change nothing, and clusters come after
        none = self.potentials("none.txt", (5, 0))
        same = self.scored("none", "--rescore", path, "--rerank", "1000", "--potentials", none)
        self.assertEqual(same, [(*row[:1], row[0], *row[2:]) for row in searched])
        one = self.potentials("one.txt", (3, -1), (3.5, 0))
        more = self.scored("one", "--rescore", path, "--rerank", "1000", "--potentials", one)
        before = {row[0]: row[2] for row in searched}
        gained = [row[2] - before[row[1]] for row in more]
        self.assertTrue(all(gain >= 0 and gain % 32 == 0 for gain in gained) and any(gained))
        clusters = self.scored("clusters", "--rescore", path, "--rerank", "30", "--cluster", "15")
        self.assertLess(len(clusters), 30)
        self.assertEqual(clusters[0][1:], ranked[0][1:])

    def test_lists_of_either_score(self):
        """A list's poses stay where they are, whatever they are scored by."""
        path = os.path.join(SOURCE, "tests", "golden", "trypsin-bpti.grid96-step20.ftdock.dat")
        with open(path, encoding="ascii") as file:
            lines = [line for line in file if not line.startswith("G_DATA") or int(line[6:13]) <= 9]
        path = self.write("ftdock.dat", "".join(lines))
        places = {}
        for score in ("ftdock", "complementarity"):
            arguments = ["dock", RECEPTOR, LIGAND, "--rescore", path, "--score", score, "-o", score,
                         "--poses", "9", "--threads", "1"]
            self.assertEqual(self.run_command(*arguments).returncode, 0)
            for rank, previous, *_ in rows(self.path(score, "ftdock_global.dat")):
                with open(self.path(score, "poses", f"complex.{rank:04}.pdb"), encoding="ascii") as file:
                    places[score, previous] = [line[30:54] for line in file
                                               if line.startswith("ATOM")]
        for i in range(1, 10):
            self.assertEqual(places["ftdock", i], places["complementarity", i])
        how = self.SCORED[:2]  # the grid decides on the spacing
        mine = self.scored("mine", "--rotations", "spiral:9", "--grid", "60", how=how)
        again = self.scored("theirs", "--rescore", self.path("mine", "ftdock_global.dat"), how=how)
        self.assertEqual([row[2:] for row in again], [row[2:] for row in mine])

    def test_potentials_refused(self):
        dock = ["dock", RECEPTOR, LIGAND, "-o", "out", *self.SCORED, "--potentials"]
        good = self.potentials("good.txt", (3, 1), (5, 2))
        self.assert_refused([*dock, good], ["--potentials", "--rerank 2000"])
        dock[-1:] = ["--rerank", "10", "--potentials"]
        with open(good, encoding="ascii") as file:
            lines = file.readlines()
        self.assert_refused([*dock, self.write("empty.txt", "")], ["empty.txt", "no numbers"])
        self.assert_refused([*dock, self.write("short.txt", "".join(lines[:-1]))],
                            ["short.txt", "ends after 17 lines"])
        self.assert_refused([*dock, self.write("odd.txt", "".join([*lines[:9], "1 2\n"]))],
                            ["odd.txt:10", "18 lines of 18 numbers"])
        self.assert_refused([*dock, self.potentials("down.txt", (5, 1), (5, 1))],
                            ["down.txt:21", "ascending from 2 to 12"])
        self.assert_refused([*dock, self.potentials("far.txt", (13, 1))], ["far.txt:1", "2 to 12"])
        lines[3] = "9 " + lines[3].split(" ", 1)[1]
        lines[5] = "8 " + lines[5].split(" ", 1)[1]
        self.assert_refused([*dock, self.write("skew.txt", "".join(lines))],
                            ["skew.txt", "symmetric"])
        self.assert_refused(["dock", RECEPTOR, LIGAND, "-o", "out", "--score", "ftdock",
                             "--rerank", "10"], ["--rerank", "complementarity"])

    def test_does_not_replace_the_list_it_reads(self):
        path, _ = self.search()
        before = contents(self.path("searched"))
        self.assert_refused(["dock", RECEPTOR, LIGAND, "--rescore", path, "-o", "searched"],
                            ["--rescore", "choose another folder"])
        self.assertEqual(contents(self.path("searched")), before)


if __name__ == "__main__":
    unittest.main()
