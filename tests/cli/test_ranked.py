# ctest: cost 60, full with sanitizers
"""Poses ranked by complementarity: the default, the same files everywhere, and what may be asked of a
search: residues that stay free or meet, clusters, and the quality of what was found."""

import csv
import gzip
import json
import math
import os
import shutil
import sys
import unittest

sys.dont_write_bytecode = True  # leave the source tree as it is
from command import LIGAND, RECEPTOR, SMALL, SMALL_RANKED, CommandTest, ReferenceTest, rows

DEVICES = ("cpu", "cpu,cpu", "cpu,sim,cpu", "sim:reversed,cpu,sim,cpu")  # 1 to 4 ranks


def atoms(path):
    """[(residue's number, position)] of a PDB file."""
    with open(path, encoding="ascii") as file:
        return [(int(line[22:26]), [float(line[i:i + 8]) for i in (30, 38, 46)])
                for line in file if line.startswith("ATOM") and line[12:16].strip()[0] not in "H123"]


def matrix(angles):
    """Rz(phi) Ry(theta) Rz(twist) of the list's columns of whole degrees."""
    twist, theta, phi = (math.radians(int(angles[i:i + 4])) for i in (0, 4, 8))

    def about_z(t):
        return [[math.cos(t), -math.sin(t), 0], [math.sin(t), math.cos(t), 0], [0, 0, 1]]

    def times(a, b):
        return [[sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)] for i in range(3)]
    about_y = [[math.cos(theta), 0, math.sin(theta)], [0, 1, 0], [-math.sin(theta), 0, math.cos(theta)]]
    return times(times(about_z(phi), about_y), about_z(twist))


class Ranked(ReferenceTest):
    small = SMALL_RANKED

    def list_of(self, folder):
        return rows(self.path(folder, "ftdock_global.dat"))

    def placed(self, folder, row, points):
        """Positions of the ligand's points in a row of a list."""
        plan = self.read_json(folder, "run.json")["results"]["plan"]
        turn, shift = matrix(row[5]), row[4]
        return [[sum(turn[i][k] * (point[k] - plan["ligand_centre"][k]) for k in range(3))
                 + plan["receptor_centre"][i] + shift[i] * plan["spacing"] for i in range(3)] for point in points]

    # ---- which score ------------------------------------------------------------------------------

    def test_it_is_the_default(self):
        result = self.dock("out", "--score", "complementarity")
        self.assert_same("out")
        self.assertNotIn("ranks poorly", result.stderr)
        parameters = self.read_json("out", "run.json")["parameters"]
        self.assertEqual((parameters["score"], parameters["keep"]), ("complementarity", 1))
        with open(self.path("out", "ftdock_global.dat"), encoding="ascii") as file:
            self.assertIn("Score                              :: complementarity\n", file.read())

    def test_ftdock_s_score_says_that_it_ranks_poorly(self):
        few = ["dock", RECEPTOR, LIGAND, "-o", "out", *SMALL[:4], "--rotations", "spiral:2", "--device", "cpu,cpu"]
        for more, told in (([], 1), (["--quiet"], 0)):
            result = self.run_command(*few, *more)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual([line.startswith("tesela: --score ftdock ranks poorly: ")
                              for line in result.stderr.splitlines()].count(True), told, result.stderr)
        parameters = self.read_json("out", "run.json")["parameters"]
        self.assertEqual((parameters["score"], parameters["keep"]), ("ftdock", 3))
        with open(self.path("out", "ftdock_global.dat"), encoding="ascii") as file:
            self.assertNotIn("Score  ", file.read())

    def test_options_of_the_other_score_are_refused(self):
        pair = ["dock", RECEPTOR, LIGAND, "-o", "out"]
        for option in (["--surface", "2"], ["--core", "-9"], ["--no-electrostatics"]):
            self.assert_refused([*pair, *option], [option[0], "for --score ftdock: add that, or leave"])
            self.assert_refused([*pair, *option, "--score", "complementarity"], ["leave one of them out"])
        for option in (["--clash-weight", "1"], ["--block", "receptor:E:*"], ["--restrain", "E:* within 8 of I:*"]):
            self.assert_refused([*pair, *option, "--score", "ftdock"],
                                [option[0], "for --score complementarity, not for ftdock"])
        self.assert_refused([*pair, "--clash-weight", "99"], ["16 bits", "clash 99", "smaller weights"])

    # ---- the same everywhere ----------------------------------------------------------------------

    def test_same_files(self):
        """Ranks that are threads, any batch, little memory, and whole transforms."""
        for number, devices in enumerate(DEVICES):
            self.dock("out", "--device", devices, "--batch", str(1 + 3 * number))
            self.assert_same("out", devices)
            self.assertEqual(self.read_json("out", "run.json")["ranks"], number + 1)
        for options in (["--memory", "20M"], ["--threads", "3"], ["--correlation", "plain"]):
            self.dock("out", *options)
            self.assert_same("out", options)

    def test_ranks_without_work(self):
        """The first rank knows the bound of transforms that others have done."""
        for rotations in ("spiral:1", "spiral:2"):
            self.dock("out", "--grid", "40", "--device", "cpu,cpu,cpu,cpu", "--rotations", rotations,
                      "--poses", "0", small=False)
            self.assertTrue(self.read_json("out", "run.json")["verified"])
            shutil.rmtree(self.path("out"))

    def test_killed_at_random_moments(self):
        """Those that go on have other ranks and batches."""
        self.kill_at_random_moments("--device", DEVICES, ["1", "2", "7"], kills=3, longest=1.2)

    def test_lists_of_ftdock(self):
        """Rescored, their poses are where they were, though the scores have grids of their own."""
        result = self.run_command("dock", RECEPTOR, LIGAND, "-o", "searched", *SMALL[:4], "--rotations", "spiral:6",
                                  "--poses", "18", *SMALL[6:])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.dock("out", "--rescore", "searched/ftdock_global.dat", "--poses", "18", "--threads", "1", small=False)
        found = self.list_of("out")
        self.assertEqual(sorted(row[1] for row in found), list(range(1, 19)))
        self.assertNotEqual([row[1] for row in found], list(range(1, 19)))  # another score, another order

        def ligand(folder, number):
            with open(self.path(folder, "poses", f"complex.{number:04d}.pdb"), encoding="ascii") as file:
                return [line[30:54] for line in file if line.startswith("ATOM") and line[21] == "I"]
        for row in found:
            self.assertEqual(ligand("out", row[0]), ligand("searched", row[1]))

    # ---- what is asked of a search ----------------------------------------------------------------

    def test_restraint(self):
        """Of each rotation the best of its poses that fulfil it; nothing of that is lost."""
        within, pair = 7.5, (189, 15)
        self.dock("out", "--restrain", f"E:{pair[0]} within {within} of I:{pair[1]}", "--poses", "0")
        self.dock("many", "--keep", "40", "--top", "100000", "--poses", "0")
        ends = [[position for number, position in atoms(path) if number == residue]
                for path, residue in zip((RECEPTOR, LIGAND), pair)]

        def fulfils(folder, row):
            return min(math.dist(a, b) for a in ends[0] for b in self.placed(folder, row, ends[1])) <= within
        found = self.list_of("out")
        self.assertGreater(len(found), 20)
        self.assertTrue(all(fulfils("out", row) for row in found))
        best = {}
        for row in self.list_of("many"):
            if row[5] not in best and fulfils("many", row):
                best[row[5]] = row[2:5:2]  # score and shift
        self.assertGreater(len(best), 8)
        of_rotation = {row[5]: row[2:5:2] for row in found}
        self.assertEqual({angles: of_rotation[angles] for angles in best}, best)
        self.assertFalse(fulfils("many", self.list_of("many")[0]))  # or the test would be an easy one

    def test_blocked_residues_stay_free(self):
        """The residues that the first pose lies on."""
        first = rows(os.path.join(self.reference_folder, "ftdock_global.dat"))[0]
        self.dock("free", "--poses", "0")
        receptor, ligand = atoms(RECEPTOR), [position for _, position in atoms(LIGAND)][::5]

        def touched(folder, row):
            placed = self.placed(folder, row, ligand)
            return {number for number, position in receptor if any(math.dist(position, at) < 6 for at in placed)}
        blocked = touched("free", first)
        self.dock("out", "--block", "receptor:" + ",".join(f"E:{number}" for number in sorted(blocked)),
                  "--poses", "0")

        def overlaps(folder):
            return [len(touched(folder, row) & blocked) for row in self.list_of(folder)[:5]]
        before, after = overlaps("free"), overlaps("out")
        self.assertEqual(before[0], len(blocked))
        self.assertLess(max(after), len(blocked) / 3, (before, after))
        self.assertLess(self.list_of("out")[0][2], first[2])

    def test_residues_that_are_not_there(self):
        pair = ["dock", RECEPTOR, LIGAND, "-o", "out", *self.small]
        for option, value, words in (
                ("--block", "receptor:E:9000", ["--block", "trypsin.pdb has no residue E:9000", "as the file has"]),
                ("--block", "receptor:E:16,Q:*", ["trypsin.pdb has no residue Q:*"]),
                ("--block", "ligand:E:16", ["bpti.pdb has no residue E:16"]),
                ("--block", "E:16", ["--block 'E:16'", "receptor: or ligand:"]),
                ("--block", "receptor:E", ["--block", "CHAIN:NUMBER"]),
                ("--block", "receptor:E:20-10", ["--block", "CHAIN:FIRST-LAST"]),
                ("--block", "receptor:E:16,", ["--block"]),
                ("--restrain", "E:189 within 8 of E:15", ["--restrain", "bpti.pdb has no residue E:15"]),
                ("--restrain", "E:9 within 8 of I:15", ["--restrain", "trypsin.pdb has no residue E:9"]),
                ("--restrain", "E:189 within of I:15", ["--restrain", "a distance"]),
                ("--restrain", "E:189 within 0 of I:15", ["--restrain", "a distance"]),
                ("--restrain", "E:189 near I:15", ["--restrain", "within 8 of"])):
            self.assert_refused([*pair, option, value], words)
        for role, chain in (("receptor", "I"), ("ligand", "E")):
            self.assert_refused([*pair, f"--{role}-chains", chain], [f"no chain {chain}: the file has chain"])
        self.write("pairs.tsv", f"{RECEPTOR}\t{LIGAND}\ta\n")
        self.assert_refused(["dock", "--list", "pairs.tsv", "-o", "out", "--block", "receptor:E:16"],
                            ["--list does not go with --block"])

    def test_clusters(self):
        """Sizes are told, and add up to the poses of the search."""
        result = self.dock("out", "--cluster", "12")
        found = self.list_of("out")
        sizes = [pose["cluster"] for pose in self.read_json("out", "run.json")["results"]["top"]]
        shown = [line.split() for line in result.stdout.splitlines()]
        self.assertEqual([int(words[-1]) for words in shown if len(words) == 10 and words[0].isdigit()], sizes)
        all_rows = rows(os.path.join(self.reference_folder, "ftdock_global.dat"))
        self.assertTrue(1 < len(found) < len(all_rows))
        self.assertGreater(max(sizes), 1)
        for row in found:
            self.assertEqual(row[2:], all_rows[row[1] - 1][2:])  # prvID is its place before
        if len(found) <= 10:
            self.assertEqual(sum(sizes), len(all_rows))
        self.assertIn(f"{len(all_rows)} poses in {len(found)} clusters of 12 angstrom", result.stderr)


class Quality(CommandTest):
    small = SMALL_RANKED

    def quality(self, native, receptor=RECEPTOR, ligand=LIGAND, chains=("E", "I"), listed="out"):
        return self.run_command("dock", "quality", f"{listed}/ftdock_global.dat", receptor, ligand, "--native",
                                native, "--native-receptor-chains", chains[0], "--native-ligand-chains", chains[1],
                                "--csv", "quality.csv", "--json", "quality.json")

    def test_a_complex_that_was_written(self):
        """The pose that it is has DockQ 1; as mmCIF, gzipped, the judgement is the same."""
        self.dock("out", "--poses", "3")
        native = self.path("out", "poses", "complex.0003.pdb")
        result = self.quality(native)
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(self.path("quality.csv"), encoding="ascii", newline="") as file:
            table = list(csv.DictReader(file))
        self.assertEqual(len(table), len(rows(self.path("out", "ftdock_global.dat"))))
        third = table[2]
        self.assertEqual((third["class"], float(third["fnat"])), ("high", 1))
        for name, wanted in (("ligand_rmsd", 0), ("interface_rmsd", 0), ("dockq", 1)):
            self.assertAlmostEqual(float(third[name]), wanted, delta=1e-3, msg=name)
        results = self.read_json("quality.json")["results"]
        self.assertEqual((results["best"], results["first_high"]), (3, 3))
        self.assertIn("first of", result.stdout)
        judged = table
        with open(native, encoding="ascii") as file:
            lines = [line for line in file if line.startswith("ATOM")]
        names = ("group_PDB id type_symbol label_atom_id label_alt_id label_comp_id label_asym_id label_entity_id "
                 "label_seq_id pdbx_PDB_ins_code Cartn_x Cartn_y Cartn_z occupancy B_iso_or_equiv auth_seq_id "
                 "auth_asym_id pdbx_PDB_model_num").split()
        text = "data_x\nloop_\n" + "".join(f"_atom_site.{name}\n" for name in names)
        for line in lines:
            number, chain = line[22:26].strip(), line[21]
            text += " ".join(["ATOM", line[6:11].strip(), line[76:78].strip(), line[12:16].strip(), ".",
                              line[17:20].strip(), chain, "1", number, line[26].strip() or "?", line[30:38].strip(),
                              line[38:46].strip(), line[46:54].strip(), "1.00", "0.00", number, chain, "1"]) + "\n"
        self.write("native.cif.gz", gzip.compress((text + "#\n").encode()))
        result = self.quality("native.cif.gz")
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(self.path("quality.csv"), encoding="ascii", newline="") as file:
            self.assertEqual(list(csv.DictReader(file)), judged)
        # the complex's own molecules dock as well, taken out of it by their chains
        result = self.run_command("dock", "native.cif.gz", "native.cif.gz", "--receptor-chains", "E",
                                  "--ligand-chains", "I", "-o", "again", *self.small, "--poses", "0")
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_refusals(self):
        self.dock("out", "--rotations", "spiral:2", "--poses", "1", *SMALL_RANKED[:2], small=False)
        native = self.path("out", "poses", "complex.0001.pdb")
        pair = ["dock", "quality", "out/ftdock_global.dat", RECEPTOR, LIGAND]
        chains = ["--native-receptor-chains", "E", "--native-ligand-chains", "I"]
        self.assert_refused(pair, ["--native is missing"])
        self.assert_refused([*pair, "--native", native], ["--native-receptor-chains is missing"])
        self.assert_refused([*pair, "--native", native, *chains[:3], "Q"], ["no chain Q", "the file has chains E, I"])
        self.assert_refused([*pair, "--native", native, *chains[:1], "I", chains[2], "E"],
                            ["complex.0001.pdb", "which chains are which"])
        self.assert_refused([*pair[:2], "missing.dat", *pair[3:], "--native", native, *chains], ["missing.dat"])
        self.assert_refused([*pair[:2], RECEPTOR, *pair[3:], "--native", native, *chains], ["trypsin.pdb"])
        self.assert_refused([*pair[:4]], ["LIGAND is missing"])


if __name__ == "__main__":
    unittest.main()
