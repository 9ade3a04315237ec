# ctest: full with sanitizers
"""Many pairs in one process."""

import json
import os
import shutil
import sys
import unittest

sys.dont_write_bytecode = True  # leave the source tree as it is
from command import LIGAND, RECEPTOR, SMALL, CommandTest, contents


FEW = [*SMALL, "--angle-step", "45", "--poses", "2"]


class Lists(CommandTest):
    def dock_list(self, *arguments, status=0):
        result = self.run_command("dock", "--list", "pairs.tsv", "-o", "out", *FEW, *arguments)
        self.assertEqual(result.returncode, status, result.stderr)
        return result

    def outcomes(self):
        with open(self.path("out", "list.json"), encoding="utf-8") as file:
            report = json.load(file)["results"]
        return report, [(pair["name"], pair["outcome"]) for pair in report["pairs"]]

    def test_pairs_are_docked_as_if_alone(self):
        """Plans and receptors are reused, and the files are those of single runs."""
        swapped = [(LIGAND, RECEPTOR, "swapped"), (RECEPTOR, LIGAND, "again")]
        pairs = [(RECEPTOR, LIGAND, "first"), (RECEPTOR, RECEPTOR, "twice"), *swapped]
        self.write("pairs.tsv", "# receptor\tligand\tname\n\n"
                   + "".join("\t".join(pair) + "\r\n" for pair in pairs))
        extra = ["--surface", "2.9"]  # for the larger pair
        result = self.dock_list(*extra)
        self.assertEqual([line.split()[-1] for line in result.stdout.splitlines()],
                         ["name", "first", "twice", "swapped", "again"])
        for receptor, ligand, name in pairs:
            alone = self.run_command("dock", receptor, ligand, "-o", "alone", *FEW, *extra)
            self.assertEqual(alone.returncode, 0, alone.stderr)
            found, expected = contents(self.path("out", name)), contents(self.path("alone"))
            self.assertEqual(sorted(found), sorted(expected))
            for file, data in found.items():
                self.assertEqual(data, expected[file], f"{name}/{file}")

    def test_a_failing_pair_does_not_stop_the_rest(self):
        self.write("broken.pdb", "ATOM      1  N   ILE E  16      -8.155\n")
        self.write("pairs.tsv", f"{RECEPTOR}\t{LIGAND}\tgood\nmissing.pdb\t{LIGAND}\tno file\n"
                   f"{RECEPTOR}\tbroken.pdb\tbroken\n{RECEPTOR}\t{LIGAND}\tlast\n")
        result = self.dock_list("--quiet", status=1)
        lines = result.stderr.splitlines()
        self.assertEqual(len(lines), 3, result.stderr)
        self.assertRegex(lines[0], "^tesela: error: no file: missing.pdb: ")
        self.assertRegex(lines[1], "^tesela: error: broken: broken.pdb:1: ")
        self.assertRegex(lines[2], "^tesela: error: 2 of 4 pairs failed")
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["good", "last", "list.json"])
        self.assertEqual(contents(self.path("out", "good")), contents(self.path("out", "last")))
        report, outcomes = self.outcomes()
        self.assertEqual((report["docked"], report["failed"]), (2, 2))
        self.assertEqual(outcomes, [("good", "docked"), ("no file", "failed"), ("broken", "failed"),
                                    ("last", "docked")])
        self.assertIn("missing.pdb", report["pairs"][1]["error"])

    def test_resume_does_what_is_left(self):
        self.write("pairs.tsv", "".join(f"{RECEPTOR}\t{LIGAND}\t{name}\n" for name in "abc"))
        self.dock_list()
        expected = contents(self.path("out", "b"))
        shutil.rmtree(self.path("out", "b"))
        untouched = os.stat(self.path("out", "a", "ftdock_global.dat")).st_mtime_ns
        self.dock_list("--resume", "--json", "report.json")
        report, outcomes = self.outcomes()
        self.assertEqual(outcomes, [("a", "was complete"), ("b", "docked"), ("c", "was complete")])
        self.assertEqual((report["docked"], report["were_complete"]), (1, 2))
        self.assertEqual(contents(self.path("out", "b")), expected)
        self.assertEqual(os.stat(self.path("out", "a", "ftdock_global.dat")).st_mtime_ns, untouched)
        with open(self.path("report.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["results"]["docked"], 1)

    def test_relative_paths_are_from_the_current_folder(self):
        os.mkdir(self.path("lists"))
        shutil.copy(RECEPTOR, self.path("r.pdb"))
        shutil.copy(LIGAND, self.path("l.pdb"))
        self.write("pairs.tsv", "r.pdb\tl.pdb\tpair\n")
        self.dock_list()
        self.assertTrue(os.path.exists(self.path("out", "pair", "run.json")))

    def test_lists_that_are_refused(self):
        for text, words in (
                ("", ["lists no pair"]),
                ("# only this\n", ["lists no pair"]),
                ("a b c\n", ["pairs.tsv:1:", "1 column:", "tabs"]),
                ("\na\tb\n", ["pairs.tsv:2:", "2 columns"]),
                ("a\tb\tc\td\n", ["pairs.tsv:1:", "4 columns"]),
                ("a\t\tc\n", ["pairs.tsv:1:", "column 2 is empty"]),
                ("a\tb\tx/y\n", ["'x/y' has a slash"]),
                ("a\tb\t..\n", ["'..' begins with a dot"]),
                ("a\tb\tlist.json\n", ["'list.json'"]),
                ("a\tb\t" + "n" * 201 + "\n", ["longer than 200"]),
                ("a\tb\tone\nc\td\ttwo\ne\tf\tone\n", ["pairs.tsv:3:", "'one' is line 1's"]),
                (b"a\tb\tc\x00d\n", ["pairs.tsv:1:", "not text"]),
                (bytes(range(256)), ["pairs.tsv:1:"])):
            self.write("pairs.tsv", text)
            self.assert_refused(["dock", "--list", "pairs.tsv", "-o", "out", *SMALL],
                                ["pairs.tsv", *words])
        self.assert_refused(["dock", "--list", "missing.tsv", "-o", "out"], ["missing.tsv"])


if __name__ == "__main__":
    unittest.main()
