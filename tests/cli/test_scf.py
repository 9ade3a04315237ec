# ctest: cost 60, full with sanitizers
"""`tesela scf`: energies beside those that PySCF computed, odd molecules, and what it refuses."""

import json
import math
import os
import re
import signal
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True  # leave the source tree as it is
from command import SOURCE, TESELA, CommandTest
from test_json import Reports

ORACLES = os.path.join(SOURCE, "..", "shared", "data", "scf")
FULL = "TESELA_FULL" in os.environ

WATER = "3\nwater\nO 0 0 0.119262\nH 0 0.763239 -0.477047\nH 0 -0.763239 -0.477047\n"
FUNCTIONALS = {"SVWN5": "lda_x + lda_c_vwn", "PBE": "pbe", "BLYP": "blyp", "TPSS": "tpss", "SCAN": "scan",
               "r2SCAN": "r2scan"}
GRIDS = {"level3": "medium", "99x590": "fine"}
# Rows that are always run: (molecule, basis, functional, fit, grid). The others are those of --full.
QUICK = {("h2o", "def2-svp", "PBE", "J:def2-universal-jfit", "level3"),
         ("h2o", "sto-3g", "PBE", "J:def2-universal-jfit", "99x590"),
         ("h2o", "def2-svp", "TPSS", "J:def2-universal-jfit", "level3"),
         ("oh", "def2-svp", "PBE", "J:def2-universal-jfit", "level3")}


def xyz(symbols, positions):
    lines = [f"{s} {' '.join(repr(x) for x in r)}" for s, r in zip(symbols, positions)]
    return f"{len(symbols)}\n\n" + "\n".join(lines) + "\n"


class ScfTest(CommandTest):
    def solve(self, text, *arguments, status=0):
        self.write("m.xyz", text)
        result = self.run_command("scf", "m.xyz", "--json", "r.json", "--quiet", "--tight", *arguments)
        self.assertEqual(result.returncode, status, result.stderr)
        self.stderr = result.stderr
        return self.read_json("r.json")["results"]

    def total(self, text, *arguments):
        return self.solve(text, *arguments)["energy"]["total"]


class Oracles(ScfTest):
    """Beside PySCF 2.14: 1e-6 hartree, 2e-7 with the same pruned points."""

    def open(self, name):
        path = os.path.join(ORACLES, name)
        if not os.path.exists(path):
            self.skipTest(f"{name} is not at hand")
        with open(path, encoding="utf-8") as file:
            return json.load(file)

    # Rows that miss the bound of orbital energies, and their own bound, in hartree. They are reported as skipped,
    # never as passed. The hole in OH's pi orbitals may turn about its axis, and PySCF's stands at another minimum.
    MISSED = {("oh", "r2SCAN", "99x590"): 2e-6}

    def compare(self, got, row, bound, of_orbitals=1e-6):
        energy = got["energy"]
        self.assertTrue(got["converged"])
        self.assertAlmostEqual(energy["total"], row["e_tot"], delta=bound)
        self.assertAlmostEqual(energy["kinetic"], row["e_kinetic"], delta=1e-5)
        self.assertAlmostEqual(energy["nuclear_attraction"], row["e_ext_nuclei"], delta=1e-5)
        self.assertAlmostEqual(energy["coulomb"], row["e_coulomb"], delta=1e-5)
        self.assertAlmostEqual(energy["xc"], row["e_xc_dft"], delta=1e-5)
        self.assertAlmostEqual(energy["nuclear_repulsion"], row["e_nuc_nuc"], delta=1e-8)
        # PySCF's are a multiple of eight, the last of them without weight
        self.assertIn(row["n_grid_points_with_padding"] - got["grid_points"], range(8))
        electrons = row["n_electrons_grid"]
        self.assertAlmostEqual(sum(got["electrons_on_grid"]),
                               sum(electrons) if isinstance(electrons, list) else electrons, delta=1e-7)
        self.assertAlmostEqual(got["s_squared"], row.get("s_squared", 0), delta=1e-5)
        for name in ("mulliken", "lowdin"):
            for a, b in zip(got[name], row[name]):
                self.assertAlmostEqual(a, b, delta=1e-5)
        for a, b in zip(got["dipole_debye"], row["dipole_debye"]):
            self.assertAlmostEqual(a, b, delta=1e-5)
        for orbitals, wanted in zip(got["orbitals"], row["orbitals"]):
            first, last = wanted["index_0based"]
            self.assertEqual(orbitals["occupied"], wanted["n_occ"])
            self.assertAlmostEqual(orbitals["energies"][0], wanted["lowest"], delta=of_orbitals)
            for a, b in zip(orbitals["energies"][first:last + 1], wanted["energies"]):
                self.assertAlmostEqual(a, b, delta=of_orbitals)

    def options(self, row, charge, spin):
        fit = row["fit"]
        options = ["--basis", row["basis"], "--xc", FUNCTIONALS[row["xc"]], "--charge", str(charge),
                   "--multiplicity", str(spin + 1), "--grid", GRIDS.get(row["grid"], row["grid"])]
        if row.get("cart"):
            options.append("--cartesian")
        return options + (["--fit", "none"] if fit is None else ["--aux", fit[2:]])

    def check_molecule(self, name):
        data = self.open(f"energy_{name}.json")
        geometry = data["geometry"]
        for row in data["results"]:
            is_pure = row["xc"] in FUNCTIONALS and (row["fit"] is None or row["fit"].startswith("J:"))
            key = (name, row["basis"], row["xc"], row["fit"], row["grid"])
            if not is_pure or not (FULL or key in QUICK) or (row["fit"] is None and row["n_ao"] > 50):
                continue
            with self.subTest(row=key):
                # in bohr: PySCF's angstrom differs in the eleventh digit
                got = self.solve(xyz(geometry["symbols"], geometry["xyz_bohr"]), "--unit", "bohr",
                                 *self.options(row, geometry["charge"], geometry["spin_2S"]))
                missed = self.MISSED.get((name, row["xc"], row["grid"]))
                self.compare(got, row, 2e-7 if row["grid"] == "level3" else 1e-6, missed or 1e-6)
                if missed is not None:
                    self.skipTest(f"{name} with {row['xc']} misses the bound of orbital energies: {missed} hartree")

    def test_water(self):
        self.check_molecule("h2o")

    def test_hydroxyl(self):
        self.check_molecule("oh")

    @unittest.skipUnless(FULL, "of --full")
    def test_molecules(self):
        for name in ("o2", "n2", "co", "ch4", "nh3", "h2co", "c2h4", "glycine", "benzene", "caffeine"):
            self.check_molecule(name)

    def test_lio(self):
        """LIO's tests, in DGauss's Cartesian functions."""
        for row in self.open("lio_tests.json")["results"]:
            with self.subTest(case=row["case"]):
                if not FULL and row["case"] != "lio_06_QMinPcharges":
                    continue
                options = ["--basis", "dgauss-dzvp", "--aux", "dgauss-a1-dftjfit", "--cartesian", "--xc", "pbe",
                           "--grid", "fine", "--multiplicity", str(row["spin_2S"] + 1)]
                if "mm_charges" in row:
                    self.write("mm", "".join(f"{q} {r[0]} {r[1]} {r[2]}\n" for q, r in
                                             zip(row["mm_charges"], row["mm_coords_bohr"])))
                    options += ["--mm", "mm", "--mm-unit", "bohr"]
                got = self.solve(xyz(row["symbols"], row["xyz_angstrom"]), *options)
                self.assertAlmostEqual(got["energy"]["total"], row["e_tot"], delta=1e-6)
                published = row["lio_published_output_ok"]
                self.assertAlmostEqual(got["energy"]["total"],
                                       published.get("total", published.get("total_without_qmmm_label")), delta=1e-4)

    def test_point_charges(self):
        data = self.open("gradient_qmmm.json")
        for row in data["results"]:
            is_quick = row["case"] == "h2o_mm20" and row["xc"] == "PBE"
            is_pure = row["xc"] in FUNCTIONALS and (row["fit"] or "").startswith("J:")
            if not is_pure or "mm_charges" not in row or not (FULL or is_quick):
                continue
            with self.subTest(case=row["case"], xc=row["xc"]):
                geometry = self.open(f"energy_{row['molecule']}.json")["geometry"]
                self.write("mm", "".join(f"{q!r} {r[0]!r} {r[1]!r} {r[2]!r}\n" for q, r in
                                         zip(row["mm_charges"], row["mm_coords_bohr"])))
                got = self.solve(xyz(geometry["symbols"], geometry["xyz_angstrom"]), "--mm", "mm", "--mm-unit",
                                 "bohr", *self.options(row, geometry["charge"], geometry["spin_2S"]))
                self.assertAlmostEqual(got["energy"]["total"], row["e_tot"], delta=1e-7)


class Identities(ScfTest):
    SMALL = ("--basis", "sto-3g", "--grid", "coarse")

    def test_the_parts_sum_to_the_total(self):
        energy = self.solve(WATER, *self.SMALL)["energy"]
        self.assertAlmostEqual(energy["total"], sum(v for k, v in energy.items() if k != "total"), places=12)

    def test_translation(self):
        moved = "3\n\nO 10 -3 2.119262\nH 10 -2.236761 1.522953\nH 10 -3.763239 1.522953\n"
        self.assertAlmostEqual(self.total(WATER, *self.SMALL), self.total(moved, *self.SMALL), places=9)

    def test_threads_give_the_same_bits(self):
        self.assertEqual(self.total(WATER, *self.SMALL, "--threads", "1"),
                         self.total(WATER, *self.SMALL, "--threads", "3"))

    def test_integrals_that_are_not_kept(self):
        whole = self.solve(WATER, *self.SMALL, "--threads", "1")
        self.assertEqual(whole["stored_bytes"], whole["total_bytes"])
        result = self.run_command("scf", "m.xyz", *self.SMALL, "--threads", "1", "--memory", "5K")
        self.assertEqual(result.returncode, 2)
        needed = re.search(r"need ([0-9.]+) MiB, 5.0 KiB are allowed: .*, or allow more\n$", result.stderr)
        self.assertIsNotNone(needed, result.stderr)
        bound = int((float(needed[1]) + 0.05) * 2**20) + 5000  # a line rounds
        part = self.solve(WATER, *self.SMALL, "--threads", "1", "--memory", str(bound))
        self.assertLessEqual(part["memory_bytes"], bound)
        self.assertEqual(whole["energy"], part["energy"])

    def test_memory_is_said_before_it_is_taken(self):
        self.write("m.xyz", WATER)
        result = self.run_command("scf", "m.xyz", *self.SMALL)
        self.assertRegex(result.stderr, r"memory: up to [0-9.]+ MiB: .* of integrals kept\n")

    def test_the_fit_is_a_little_lower(self):
        fitted, exact = self.total(WATER, *self.SMALL), self.total(WATER, *self.SMALL, "--fit", "none")
        self.assertTrue(1e-7 < exact - fitted < 1e-3, (exact, fitted))

    def test_open_and_closed_shell_agree(self):
        closed, opened = self.solve(WATER, *self.SMALL), self.solve(WATER, *self.SMALL, "--unrestricted")
        self.assertAlmostEqual(closed["energy"]["total"], opened["energy"]["total"], places=9)
        self.assertAlmostEqual(opened["s_squared"], 0, places=8)

    def test_molecules_far_apart(self):
        one = self.total("2\n\nH 0 0 0\nH 0 0 0.74\n", *self.SMALL)
        two = self.total("4\n\nH 0 0 0\nH 0 0 0.74\nH 0 0 200\nH 0 0 200.74\n", *self.SMALL)
        self.assertAlmostEqual(two, 2 * one, delta=1e-6)

    def test_zero_charges_change_nothing(self):
        self.write("mm", "# nothing\n0 1 2 3\n\n0 4 5 6 # still nothing\n")
        self.assertEqual(self.total(WATER, *self.SMALL), self.total(WATER, *self.SMALL, "--mm", "mm"))

    def test_isotopes_of_hydrogen(self):
        heavy = WATER.replace("\nH", "\nD", 1).replace("\nH", "\nT", 1)
        self.assertEqual(self.total(heavy, *self.SMALL), self.total(WATER, *self.SMALL))

    def test_charges_of_orca(self):
        """Their file begins with the number of charges."""
        self.write("mm", "1 0 0 5\n-0.5 0 4 0\n")
        energy = self.total(WATER, *self.SMALL, "--mm", "mm")
        self.write("mm", "# of ORCA\n2\n1 0 0 5\n-0.5 0 4 0\n")
        self.assertEqual(self.total(WATER, *self.SMALL, "--mm", "mm"), energy)
        self.write("w.xyz", WATER)
        for text, words in (("3\n1 0 0 5\n", ("mm:1: says that 3 charges follow, and there are 1",)),
                            ("1 0 0 5\n2\n", ("mm:2: x is missing",)),
                            ("1 0 0 5 1.2\n", ("mm:1: '1.2' follows charge, x, y, z",)),
                            ("1,0,0,5\n", ("mm:1: '1,0,0,5' is no charge", "blanks between"))):
            self.write("mm", text)
            self.assert_refused(("scf", "w.xyz", "--mm", "mm"), words)

    def test_a_far_charge_is_a_potential(self):
        """One of charge q at distance r changes a neutral molecule's energy by q times its dipole over r^2."""
        self.write("mm", "1 0 0 1000\n")
        plain = self.solve(WATER, *self.SMALL)
        charged = self.solve(WATER, *self.SMALL, "--mm", "mm", "--mm-unit", "bohr")
        # a charge at +z feels the dipole's potential mu_z / r^2
        dipole = plain["dipole_debye"][2] / 2.541746473
        self.assertAlmostEqual(charged["energy"]["total"] - plain["energy"]["total"], dipole / 1000 ** 2,
                               delta=2e-8)

    def test_extended_xyz(self):
        """Properties= names the columns, and a cell that is not used is told."""
        energy = self.total(WATER, *self.SMALL)
        atoms = [line.split() for line in WATER.splitlines()[2:]]
        for head, order in (("Properties=species:S:1:pos:R:3:forces:R:3", "{0} {1} 7 8 9"),
                            ("Properties=species:S:1:charge:R:1:pos:R:3", "{0} -0.5 {1}"),
                            ('properties="id:I:1:pos:R:3:species:S:1" energy=-1', "1 {1} {0}")):
            rows = [order.format(atom[0], " ".join(atom[1:])) for atom in atoms]
            self.assertEqual(self.total("\n".join(["3", head, *rows]), *self.SMALL), energy)
        cell = 'Lattice="9 0 0 0 9 0 0 0 9" Properties=species:S:1:pos:R:3 pbc="{}"'
        for periodic, is_told in (("T T T", True), ("F F F", False)):
            self.write("c.xyz", WATER.replace("water", cell.format(periodic)))
            result = self.run_command("scf", "c.xyz", *self.SMALL)
            self.assertEqual("c.xyz:2: the periodic cell is not used" in result.stderr, is_told, result.stderr)
        for head in ("Properties=species:S:1", "Properties=species:S:1:pos:R:2", "Properties="):
            self.write("bad.xyz", WATER.replace("water", head))
            self.assert_refused(("scf", "bad.xyz"), ("bad.xyz:2", "names no species:S:1 and pos:R:3"))

    def test_units(self):
        bohr = 0.529177210903
        text = "2\n\nH 0 0 0\n1 0 0 {!r}\n"
        self.assertAlmostEqual(self.total(text.format(0.74), *self.SMALL),
                               self.total(text.format(0.74 / bohr), *self.SMALL, "--unit", "bohr"), places=9)


class Restart(ScfTest):
    def test_killed_at_random_moments(self):
        """However often a run is killed, it goes on from a whole file to the same energy."""
        arguments = ("--grid", "coarse", "--threads", "1")
        whole = self.solve(WATER, *arguments)
        endless = ("--energy-tolerance", "1e-14", "--error-tolerance", "1e-14", "--max-iterations", "10000")
        for writings in (1, 2, 3):
            process = subprocess.Popen([TESELA, "scf", "m.xyz", *arguments, *endless, "--restart", "d.npz"],
                                       cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            seen = set()
            while process.poll() is None and len(seen) < writings:
                time.sleep(0.001)
                if os.path.exists(self.path("d.npz")):
                    seen.add(os.stat(self.path("d.npz")).st_mtime_ns)
            process.kill()
            process.wait()
            self.assertEqual(process.returncode, -signal.SIGKILL)
        rest = self.solve(WATER, *arguments, "--restart", "d.npz")
        self.assertLess(rest["iterations"], whole["iterations"])
        self.assertAlmostEqual(rest["energy"]["total"], whole["energy"]["total"], delta=1e-9)

    def test_files_of_others_are_refused(self):
        self.write("w.xyz", WATER)
        small = ("--basis", "sto-3g", "--grid", "coarse", "--restart", "d.npz")
        self.solve("2\n\nH 0 0 0\nH 0 0 0.74\n", *small)
        self.assert_refused(("scf", "w.xyz", *small), ("d.npz", "another molecule"))
        self.assert_refused(("scf", "m.xyz", *small, "--basis", "H=6-31g*"), ("d.npz", "another basis set"))
        self.assert_refused(("scf", "m.xyz", *small, "--charge", "1"), ("d.npz", "another charge"))
        self.assert_refused(("scf", "w.xyz", *small[:-1], "w.xyz"), ("w.xyz", "choose another name"))


class Odd(ScfTest):
    def test_hydrogen_open_shells(self):
        triplet = self.solve("2\n\nH 0 0 0\nH 0 0 0.74\n", "--multiplicity", "3", "--grid", "coarse")
        self.assertAlmostEqual(triplet["s_squared"], 2, places=8)
        stretched = self.solve("2\n\nH 0 0 0\nH 0 0 4\n", "--unrestricted", "--grid", "coarse")
        self.assertTrue(stretched["converged"])

    def test_fluorine_cation_triplet(self):
        got = self.solve("1\n\nF 0 0 0\n", "--charge", "1", "--multiplicity", "3", "--grid", "coarse")
        self.assertAlmostEqual(got["s_squared"], 2, delta=0.01)

    def test_stretched_nitrogen(self):
        self.assertTrue(self.solve("2\n\nN 0 0 0\nN 0 0 3\n", "--grid", "coarse")["converged"])

    def test_one_atom(self):
        got = self.solve("1\n\nH 0 0 0\n", "--grid", "coarse")
        self.assertAlmostEqual(got["s_squared"], 0.75, places=10)
        self.assertTrue(-0.5 < got["energy"]["total"] < -0.49)

    def test_no_electrons(self):
        got = self.solve("2\n\nH 0 0 0\nH 0 0 1\n", "--charge", "2", "--unit", "bohr", "--grid", "coarse")
        self.assertAlmostEqual(got["energy"]["total"], 1, places=12)

    def test_orbitals_of_one_energy(self):
        """Their orientation about the axis is that of least energy, if tolerances are tight enough to tell."""
        text = "2\n\nO 0 0 0.108786\nH 0 0 -0.870284\n"
        best = self.total(text, "--grid", "30x50")
        some = self.total(text, "--grid", "30x50", "--error-tolerance", "1e-5", "--energy-tolerance", "1e-8")
        self.assertGreater(some - best, 1e-6)
        result = self.run_command("scf", "m.xyz", "--grid", "30x50", "--tight")
        self.assertRegex(result.stderr, r"of 5 orientations .*, the lowest energy is 8\.[0-9]e-06 hartree below")

    def test_electrons_without_nuclei(self):
        """The guess has none; they are there all the same."""
        got = self.solve("2\n\n@O 0 0 0\n@H 0 0 1\n", "--charge", "-2", "--grid", "coarse")
        self.assertAlmostEqual(sum(got["electrons_on_grid"]), 2, delta=1e-3)
        self.assertGreater(got["energy"]["kinetic"], 0.01)

    def test_ghosts_lower_the_energy(self):
        alone = self.total("1\n\nHe 0 0 0\n", "--basis", "sto-3g", "--grid", "coarse")
        for name in ("@He", "ghost-He"):
            beside = self.solve(f"2\n\nHe 0 0 0\n{name} 0 0 1\n", "--basis", "sto-3g", "--grid", "coarse")
            self.assertLess(beside["energy"]["total"], alone + 1e-6)
            self.assertEqual(beside["orbitals"][0]["occupied"], 1)

    def test_a_level_shift_is_taken_back(self):
        plain = self.solve(WATER, "--basis", "sto-3g", "--grid", "coarse")
        shifted = self.solve(WATER, "--basis", "sto-3g", "--grid", "coarse", "--level-shift", "0.5")
        self.assertAlmostEqual(shifted["energy"]["total"], plain["energy"]["total"], delta=1e-9)
        result = self.run_command("scf", "m.xyz", "--basis", "sto-3g", "--grid", "coarse", "--level-shift", "0.5")
        self.assertIn("goes on without raising them", result.stderr)

    def test_what_does_not_converge_says_so(self):
        got = self.solve(WATER, "--basis", "sto-3g", "--grid", "coarse", "--max-iterations", "2", status=1)
        self.assertFalse(got["converged"])
        self.assertIn("not converged after 2 iterations", self.stderr)
        result = self.run_command("scf", "m.xyz", "--basis", "sto-3g", "--grid", "coarse", "--max-iterations", "2")
        self.assertIn("NOT CONVERGED", result.stdout)
        self.assertIn("(not converged)", result.stdout)


class Refusals(ScfTest):
    def test_molecules(self):
        for text, words in (("", (":1:", "number of atoms")), ("x\n", (":1:", "'x'")),
                            ("2\n\nH 0 0 0\n", ("ends after 1 of 2",)), ("1\n\nQq 0 0 0\n", (":3:", "'Qq'")),
                            ("1\n\nH 0 a 0\n", (":3:", "y, 'a'")), ("1\n\nH 0 0\n", (":3:", "z is missing")),
                            ("1\n\n119 0 0 0\n", (":3:", "'119'")),
                            ("2\n\nH 0 0 0\nH 0 0 0\n", ("atoms 1 and 2", "apart")),
                            ("1\n\nH 0 0 1e9\n", ("atom 1", "bohr")), ("99999999\n", (":1:",))):
            self.write("bad.xyz", text)
            self.assert_refused(("scf", "bad.xyz"), ("bad.xyz", *words))
        self.assert_refused(("scf", "missing.xyz"), ("missing.xyz",))
        self.assert_refused(("scf",), ("give a molecule",))

    def test_options(self):
        self.write("w.xyz", WATER)
        for arguments, words in ((("--basis", "def2-svpp"), ("def2-svpp", "sto-3g")),
                                 (("--aux", "nothing"), ("nothing",)), (("--xc", "pbee"), ("pbee",)),
                                 (("--xc", "b3lyp"), ("b3lyp", "exact exchange")),
                                 (("--grid", "superb"), ("superb",)), (("--charge", "11"), ("11", "10")),
                                 (("--multiplicity", "2"), ("10 electrons", "an odd number")),
                                 (("--multiplicity", "13"), ("10 electrons",)),
                                 (("--fit", "maybe"), ("--fit", "df")),
                                 (("--unit", "metre"), ("--unit", "bohr")), (("--damping", "1"), ("--damping",)),
                                 (("--max-iterations", "0"), ("--max-iterations",)),
                                 (("--basis", "Xx=sto-3g"), ("Xx=sto-3g",)),
                                 (("--device", "sim", "--fit", "none"), ("sim", "cpu", "fit the density"))):
            self.assert_refused(("scf", "w.xyz", *arguments), words)

    def test_nonlocal_correlation(self):
        self.write("w.xyz", WATER)
        if '"mgga_xc_b97m_v"' not in self.run_command("xc", "list", "--json", "-").stdout:
            self.skipTest("a build without mgga_xc_b97m_v")
        self.assert_refused(("scf", "w.xyz", "--xc", "mgga_xc_b97m_v"), ("mgga_xc_b97m_v", "nonlocal"))

    def test_too_many_functions_without_a_fit(self):
        self.write("o.xyz", "2\n\nO 0 0 0\nO 0 0 1.2\n")
        self.assert_refused(("scf", "o.xyz", "--fit", "none", "--basis", "def2-tzvp"), ("62 functions", "at most 50"))

    def test_heavy_elements(self):
        self.write("i.xyz", "1\n\nI 0 0 0\n")
        self.assert_refused(("scf", "i.xyz"), ("def2-svp", "no functions for I"))

    def test_basis_files(self):
        self.write("h.xyz", "1\n\nH 0 0 0\n")
        for text, words in (("", ("no shells",)), ("H 0\nS 2 1.0\n1.0 1.0\n", (":3:", "within a shell")),
                            ("H 0\nQ 1 1.0\n1.0 1.0\n", (":2:", "'Q'")), ("H 0\nS 1 1.0\nx 1.0\n", (":3:", "'x'")),
                            ("H 0\nS 1 1.0\n-1.0 1.0\n", (":3:", "range")),
                            ("H 0\nSP 1 1.0\n1.0 1.0\n", (":3:", "SP")),
                            ("H 0\nS 2 1.0\n1.0 1.0\n1.0 -1.0\n", ("l = 0 of H", "cancel")),
                            ("BASIS \"ao\"\nH S\n1.0 1.0\n", ("END",)),
                            ("BASIS \"ao\"\nH S\nEND\n", ("without primitives",)),
                            ("H 0\nH-ECP 1 2\np\n1\n2 1.0 0.0\n", ("no shells",)),
                            ("H 0\nS 1 1.0\n1.0 1.0\n****\n\nH 0\nH-ECP 1 2\np\n1\n2 1.0 0.0\n",
                             ("effective core potential", "H"))):
            self.write("bad.gbs", text)
            self.assert_refused(("scf", "h.xyz", "--basis", "bad.gbs"), ("bad.gbs", *words))

    def test_charges(self):
        self.write("w.xyz", WATER)
        for text, words in (("1 2 3\n", (":1:", "z is missing")), ("# no\nq 1 2 3\n", (":2:", "'q'")),
                            ("1 1 2 z\n", (":1:", "'z'")), ("1e7 0 0 9\n", ("point charge 1",))):
            self.write("bad", text)
            self.assert_refused(("scf", "w.xyz", "--mm", "bad"), ("bad", *words))
        self.write("on", "0 0 0 0.119262\n1 0 0 0.119262\n")  # a charge of 0 may be anywhere
        self.assert_refused(("scf", "w.xyz", "--mm", "on"), ("point charge 2", "atom 1", "move or remove"))


class Forms(ScfTest):
    """Both forms of files, and one element of another set."""
    GAUSSIAN = ("! comment\n-H 0\nS 3 1.0\n3.42525091D+00 0.15432897D+00\n0.62391373 0.53532814\n"
                "0.16885540 0.44463454\n****\n")
    NWCHEM = ("# comment\nBASIS \"ao basis\" SPHERICAL PRINT\nH S\n3.42525091 0.15432897\n0.62391373 0.53532814\n"
              "0.16885540 0.44463454\nEND\n")
    HYDROGEN = "2\n\nH 0 0 0\nH 0 0 0.74\n"

    def test_forms_agree(self):
        self.write("h.gbs", self.GAUSSIAN)
        self.write("h.nw", self.NWCHEM)
        a, b = (self.total(self.HYDROGEN, "--basis", name, "--grid", "coarse") for name in ("h.gbs", "h.nw"))
        self.assertEqual(a, b)
        shipped = self.total(self.HYDROGEN, "--basis", "STO-3G", "--grid", "coarse")
        self.assertAlmostEqual(a, shipped, delta=1e-6)  # which has more digits

    def test_one_element(self):
        mixed = self.solve(WATER, "--basis", "def2-svp", "--basis", "H=sto-3g", "--grid", "coarse")
        self.assertEqual(mixed["functions"], 14 + 2)


class ScfReports(Reports):
    def test_scf(self):
        self.write("w.xyz", WATER)
        result = self.run_command("scf", "w.xyz", "--basis", "sto-3g", "--grid", "coarse", "--json", "r.json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assert_documented("r.json", "tesela scf")
        self.assertIn("total energy", result.stdout)


def load_tests(loader, _, __):
    suite = unittest.TestSuite()
    for case in (Oracles, Identities, Restart, Odd, Refusals, Forms):
        suite.addTests(loader.loadTestsFromTestCase(case))
    suite.addTest(ScfReports("test_scf"))
    return suite


if __name__ == "__main__":
    unittest.main()
