"""What docking says of its molecules, which it takes, and what it finds out before it searches."""

import bz2
import fcntl
import gzip
import hashlib
import lzma
import math
import os
import pty
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

sys.dont_write_bytecode = True  # leave the source tree as it is
from command import LIGAND, RECEPTOR, SMALL, TESELA, CommandTest, contents, has_library, rows

FEW = ["--grid", "48", "--score=ftdock", "--surface=2.5", "--angle-step", "180", "--device", "cpu", "--threads",
       "1"]


def record(kind, name, residue, chain, number, position, element):
    x, y, z = (f"{value:8.3f}"[:8] for value in position)
    return (f"{kind:<6}    1 {name:<4} {residue:<4}{chain}{number:4}    {x}{y}{z}"
            f"  1.00  0.00          {element:>2}\n")


def read(path):
    with open(path, encoding="ascii") as file:
        return file.read()


def positions(path, chains):
    """Atoms of some chains of a PDB file: [(x, y, z)]."""
    return [tuple(float(line[i:i + 8]) for i in (30, 38, 46)) for line in read(path).splitlines()
            if line.startswith(("ATOM", "HETATM")) and line[21] in chains]


class Molecules(CommandTest):
    def few(self, receptor, ligand, *arguments, folder="out"):
        result = self.run_command("dock", receptor, ligand, "-o", folder, *FEW, *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def assembly(self):
        """Two models, a heme, ions, waters, solvent, hydrogens, alternates, odd names."""
        odd = "".join([
            record("HETATM", "FE  ", "HEM", "E", 1, (1, 2, 3), "FE"),
            *[record("HETATM", " C1 ", "HEM", "E", 1, (1, 2, 3), " C") for _ in range(42)],
            record("ATOM", " SOD", "SOD", "E", 2, (1, 2, 3), ""),
            record("HETATM", " S  ", "SO4", "E", 3, (1, 2, 3), " S"),
            *[record("HETATM", " O  ", "HOH", "E", i, (i, 2, 3), " O") for i in range(4, 124)],
            record("ATOM", " NZ ", "LYN", "E", 200, (9, 2, 3), " N"),
            record("ATOM", " C1 ", "QQQ", "E", 201, (9, 2, 3), " C"),
            record("ATOM", "HG11", "VAL", "E", 202, (9, 2, 3), "HG"),
            record("ATOM", " CA ", "VAL", "E", 202, (9, 2, 3), "CA")])
        protein = "".join(line for line in read(RECEPTOR).splitlines(True)
                          if line.startswith("ATOM"))
        return self.write("assembly.pdb", f"MODEL        1\n{protein}{odd}ENDMDL\n"
                          f"MODEL        2\n{protein}ENDMDL\n")

    def test_what_was_left_out(self):
        path = self.assembly()
        result = self.few(path, LIGAND)
        lines = [line for line in result.stderr.splitlines() if "assembly.pdb:" in line]
        self.assertIn("left out: 1 further model (--model all), 43 atoms of ligands (--hetero keep), "
                      "1 ion (--hetero keep), 1 molecule of solvent (--hetero keep), 120 waters, "
                      "1 hydrogen; residues: 1 HEM, 1 SOD, 1 SO4", lines[1])
        self.assertIn("uncharged: 1 QQQ", lines[0])
        self.assertIn("taken for others: 1 LYN for LYS; 1 of them has a side chain without charge",
                      lines[2])
        self.assertIn("1 atom has the element of its name", lines[3])
        receptor = self.read_json("out", "run.json")["parameters"]["receptor"]
        self.assertEqual(receptor["model"], "first")
        names = receptor["left_out"].pop("names")
        self.assertEqual(names, [{"residue": "HEM", "count": 1}, {"residue": "SOD", "count": 1},
                                 {"residue": "SO4", "count": 1}])
        self.assertEqual(receptor["left_out"], {
            "models": 1, "model_atoms": 1666, "blocks": 0, "ligands": 1, "ligand_atoms": 43,
            "ions": 1, "solvents": 1, "solvent_atoms": 1, "waters": 120, "hydrogens": 1,
            "alternates": 0, "virtual_sites": 0})
        self.assertEqual(receptor["assumed"], {
            "elements": 1, "occupancies": 0, "residue_numbers": 0, "odd_records": 0,
            "overlaps": 2, "foreign_names": 0,
            "taken_for": [{"residue": "LYN", "parent": "LYS", "neutral": True, "count": 1}],
            "uncharged": [{"residue": "QQQ", "count": 1}], "atom_names": []})
        self.assertNotIn("bpti.pdb: left out", result.stderr)  # nothing was
        kept = self.few(path, LIGAND, "--hetero", "keep", folder="kept")
        self.assertNotIn("--hetero keep", kept.stderr)
        self.assertEqual(self.read_json("kept", "run.json")["parameters"]["receptor"]["atoms"],
                         receptor["atoms"] + 45)

    def test_models(self):
        path = self.assembly()
        for model, atoms, name in (("2", 1666, "2"), ("all", 2 * 1666 + 3, "all"),
                                   ("1", 1666 + 3, "1"), ("all,1", 2 * 1666 + 3, "all")):
            arguments = ["--model", model]
            if model == "2":
                self.assert_refused(["dock", path, LIGAND, "-o", "out", *FEW, *arguments],
                                    ["bpti.pdb", "no model 2", "only model 1"])
                arguments = ["--model", "2,1"]
            self.few(path, LIGAND, *arguments)
            receptor = self.read_json("out", "run.json")["parameters"]["receptor"]
            self.assertEqual((receptor["atoms"], receptor["model"]), (atoms, name))
        text = read(self.path("out", "poses", "complex.0001.pdb"))
        self.assertIn("CHAIN E-2 OF THE RECEPTOR IS CHAIN A HERE", text)
        for bad in ("0", "-1", "every", "", "1,", "1,2,3", "1 2"):
            self.assert_refused(["dock", path, LIGAND, "-o", "out", "--model", bad],
                                ["--model", "or all"])
        # Each model is a search of its own.
        self.dock("out", "--model", "all")
        again = self.run_command("dock", RECEPTOR, LIGAND, "-o", "out", *SMALL, "--resume")
        self.assertEqual(again.returncode, 2, again.stderr)

    def test_what_complexes_cannot_hold(self):
        """It is found before the search, and nothing is written."""
        letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$%&*+="
        many = self.write("many.pdb", "".join(
            record("ATOM", " CA ", "GLY", chain, 1, (i, 0, 0), " C")
            for i, chain in enumerate(letters)))
        far = self.write("far.pdb", record("ATOM", " CA ", "GLY", "A", 1, (-4988, 0, 0), " C"))
        near = self.write("near.pdb", record("ATOM", " CA ", "GLY", "A", 1, (-995, 0, 0), " C"))
        for path, words in ((many, ["letters for 62 chains"]), (far, ["x = -4988"]),
                            (near, ["may be placed"])):
            self.assert_refused(["dock", path, LIGAND, "-o", "out", *FEW],
                                [os.path.basename(path) if path != many else "bpti.pdb",
                                 "--poses 0", *words])
            self.few(path, LIGAND, "--poses", "0", "--no-electrostatics", folder=f"{os.path.basename(path)}.out")

    def test_what_complexes_cut(self):
        """Names and numbers that the columns of a PDB file cut are counted before the search."""
        columns = ("group_PDB id type_symbol label_atom_id label_comp_id auth_asym_id auth_seq_id "
                   "Cartn_x Cartn_y Cartn_z").split()
        head = "data_x\nloop_\n" + "".join(f"_atom_site.{column}\n" for column in columns)
        rows = [("CA", "ALA", 12345), ("CB", "ALA", 12345), ("CA", "ALA", 123456),
                ("CA", "GLY", -1200), ("CA", "ALAXY", 7), ("CABCDE", "ALAXY", 7)]
        path = self.write("wide.cif", head + "".join(
            f"ATOM {i} C {atom} {residue} A {number} {2 * i} 0 0\n"
            for i, (atom, residue, number) in enumerate(rows)))
        told = self.few(RECEPTOR, path, "--poses", "1", "--no-electrostatics").stderr
        self.assertIn("wide.cif: complexes have 3 residue numbers modulo 10000, 1 residue name as "
                      "UNL, 1 atom name cut to four characters: the columns", told)
        self.assertNotIn("complexes have", self.few(RECEPTOR, path, "--poses", "0",
                                                    "--no-electrostatics", folder="none").stderr)

    def test_numbers_that_touch_the_record_s_name(self):
        lines = [line for line in read(LIGAND).splitlines() if line.startswith("ATOM")]
        text = "".join(f"ATOM1{i:06}{line[11:]}\n" for i, line in enumerate(lines))
        told = self.few(RECEPTOR, self.write("many.pdb", text), "--no-electrostatics").stderr
        self.assertIn("many.pdb: 454 records of atoms begin with blanks, are in lower case or have no "
                      "blank after ATOM: read all the same", told)

    def test_chains_without_letters(self):
        """The file whose chain is left without a letter is named."""
        models = "".join(f"MODEL     {i:4}\n"
                         + record("ATOM", " CA ", "GLY", "A", 1, (9 * i, 0, 0), " C") + "ENDMDL\n"
                         for i in range(1, 65))
        self.assert_refused(["dock", self.write("models.pdb", models), LIGAND, "-o", "out", *FEW,
                             "--model", "all,1"], ["models.pdb: a PDB file has letters for 62",
                                                   "of the receptor", "--poses 0"])

    def test_models_that_are_alternatives(self):
        text = "".join(line for line in read(RECEPTOR).splitlines(True) if line.startswith("ATOM"))
        path = self.write("ensemble.pdb", "".join(f"MODEL     {i:4}\n{text}ENDMDL\n"
                                                  for i in (1, 2)))
        told = self.few(path, LIGAND, "--model", "all,1").stderr
        self.assertIn("ensemble.pdb: 1666 atoms stand where others do", told)
        report = self.read_json("out", "run.json")["parameters"]
        self.assertEqual(report["receptor"]["assumed"]["overlaps"], 1666)
        self.assertNotIn("stand where", self.few(path, LIGAND, folder="first").stderr)

    def test_names_of_four_letters_stay(self):
        text = read(LIGAND).replace(" ALA I", " NALAI").replace(" LYS I", " LYSHI")
        self.few(RECEPTOR, self.write("ligand.pdb", text))
        self.assertIn(" LYSHI", read(self.path("out", "poses", "complex.0001.pdb")))

    def test_byte_order_marks(self):
        mark = "\ufeff"
        self.write("pairs.tsv", f"{mark}{RECEPTOR}\t{LIGAND}\tone\n".encode())
        result = self.run_command("dock", "--list", "pairs.tsv", "-o", "out", *FEW)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.write("rotations.txt", f"{mark}10 20 30\n".encode())
        result = self.run_command("dock", RECEPTOR, LIGAND, "-o", "other", *FEW[:4], "--rotations",
                                  "rotations.txt")
        self.assertEqual(result.returncode, 0, result.stderr)
        path = self.path("out", "one", "ftdock_global.dat")
        self.write("marked.dat", f"{mark}{read(path)}".encode())
        for name, folder in ((path, "plain"), ("marked.dat", "marked")):
            result = self.run_command("dock", RECEPTOR, LIGAND, "-o", folder, "--rescore", name)
            self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(rows(self.path("plain", "ftdock_global.dat")),
                         rows(self.path("marked", "ftdock_global.dat")))

    def test_files_of_other_kinds(self):
        with open(RECEPTOR, encoding="ascii") as file:
            text = file.read()
        for data, words in ((text.encode("utf-16"), "is text in UTF-16: save it as UTF-8"),
                            (bz2.compress(text.encode()), "is packed by bzip2: unpack it first"),
                            (lzma.compress(text.encode()), "is packed by xz: unpack it first")):
            self.write("m", data)
            self.assert_refused(["dock", "m", LIGAND, "-o", "out", *FEW], ["m: " + words])
            self.assert_refused(["scf", "m"], ["m: " + words])

    # ---- messages ----

    def test_pipes(self):
        """What can be read only once is read once, and named by the digest of what came."""
        self.few(RECEPTOR, LIGAND, folder="files")
        wanted = self.read_json("files", "run.json")["parameters"]
        packed = read(LIGAND).encode()
        if has_library("zlib"):
            packed = gzip.compress(packed)
        for name in ("-", "/dev/stdin"):
            os.mkfifo(self.path("pipe"))
            writer = threading.Thread(target=self.write, args=("pipe", packed))
            writer.start()
            command = [TESELA, "dock", name, "pipe", "-o", "piped", *FEW]
            result = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False,
                                    timeout=60, input=read(RECEPTOR))
            writer.join()
            os.remove(self.path("pipe"))
            self.assertEqual(result.returncode, 0, result.stderr)
            found = self.read_json("piped", "run.json")["parameters"]
            self.assertEqual(found["receptor"]["sha256"], wanted["receptor"]["sha256"])
            self.assertEqual(found["ligand"]["sha256"], hashlib.sha256(packed).hexdigest())
            self.assertEqual(rows(self.path("piped", "ftdock_global.dat")),
                             rows(self.path("files", "ftdock_global.dat")))

    def test_pipes_that_cannot_be(self):
        elsewhere = tempfile.mkdtemp(prefix="tesela-cli-")  # the test's own folder is read whole
        self.addCleanup(shutil.rmtree, elsewhere)
        pipe = os.path.join(elsewhere, "pipe")
        os.mkfifo(pipe)
        for receptor, ligand, words in ((pipe, pipe, ["pipe: is given for two files"]),
                                        ("-", "-", ["standard input: is given for two files"]),
                                        ("-", LIGAND, ["standard input: the file is empty"]),
                                        ("/dev/null", LIGAND, ["/dev/null: the file is empty"]),
                                        ("/dev/zero", LIGAND, ["/dev/zero: not a text file"])):
            self.assert_refused(["dock", receptor, ligand, "-o", "out", *FEW], words)
        self.write("pairs.tsv", f"{pipe}\t{LIGAND}\tone\n")
        result = self.run_command("dock", "--list", "pairs.tsv", "-o", "list", *FEW)
        self.assertIn("pipe: a pipe or device cannot be read twice", result.stderr)
        self.assertEqual(result.returncode, 1)

    def test_atoms_of_coarse_models(self):
        """Beads are docked, and named; a centroid of Rosetta's is none."""
        beads = "".join(record("ATOM", name, "LEU", "I", i, (2 * i, 0, 0), element)
                        for i, (name, element) in enumerate(((" N  ", "N"), (" CA ", "C"), (" BB ", ""), (" SC1", ""),
                                                             (" CEN", "X"), (" BB ", ""))))
        told = self.few(RECEPTOR, self.write("beads.pdb", beads)).stderr
        self.assertIn("beads.pdb: left out: 1 virtual site", told)
        self.assertIn("beads.pdb: 3 atoms are of names that amino acids do not have, docked as any other: "
                      "2 BB, 1 SC1", told)
        assumed = self.read_json("out", "run.json")["parameters"]["ligand"]["assumed"]
        self.assertEqual(assumed["foreign_names"], 3)
        self.assertEqual(assumed["atom_names"], [{"atom": "BB", "count": 2}, {"atom": "SC1", "count": 1}])

    def test_messages(self):
        ligand = self.write("heme.pdb", record("HETATM", "FE  ", "HEM", "A", 1, (1, 2, 3), "FE"))
        self.assert_refused(["dock", RECEPTOR, ligand, "-o", "out"],
                            ["no atoms left of 1", "--hetero keep"])
        self.assert_refused(["dock", RECEPTOR, LIGAND, "-o", "out", "--receptor-chains", "_"],
                            ["no chain _ (blank)"])
        os.symlink("/nowhere/at/all", self.path("dangling"))
        for receptor, folder, words in (
                ("dangling", "out", "dangling: is a link to '/nowhere/at/all', which is not there"),
                (RECEPTOR, "dangling", "is a link to a folder that is not there"),
                (RECEPTOR, "dangling/below", "is a link to a folder that is not there")):
            result = self.run_command("dock", receptor, LIGAND, "-o", folder, *FEW)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn(words, result.stderr)
        os.remove(self.path("dangling"))
        for arguments in (["-", LIGAND], [RECEPTOR, LIGAND, "--rescore", "-"]):
            self.assert_refused(["dock", *arguments, "-o", "out"], ["standard input: the file is empty"])
        wide = self.write("wide.pdb", "".join(
            record("ATOM", " CA ", "GLY", "A", i, (2000 * i, 0, 0), " C") for i in range(4)))
        for arguments in (["--grid", "48"], ["--spacing", "0.9"], [],
                          ["--grid", "96", "--spacing", "1"]):
            result = self.run_command("dock", wide, LIGAND, "-o", "out", *arguments)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertNotIn("give a grid of at least", result.stderr)
        self.assert_refused(["dock", RECEPTOR, LIGAND, "-o", "out", *SMALL[:3]],
                            ["give a grid of at least"])

    def test_two_runs_into_one_folder(self):
        os.mkdir(self.path("out"))
        with open(self.path("out", "checkpoint.tsl"), "wb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            result = self.dock("out", status=2)
        self.assertIn("another run is writing this checkpoint", result.stderr)
        self.assertNotIn("replaces", result.stderr)
        self.assertIn("replaces", self.dock("out").stderr)  # it is nobody's now

    def test_progress_of_the_potential(self):
        """On a terminal only."""
        leader, follower = pty.openpty()
        with subprocess.Popen([TESELA, "dock", RECEPTOR, LIGAND, "-o", "out", *FEW], stderr=follower,
                              stdout=subprocess.DEVNULL, cwd=self.folder) as process:
            os.close(follower)
            told = b""
            try:
                while part := os.read(leader, 1 << 16):
                    told += part
            except OSError:  # the other end is closed
                pass
        os.close(leader)
        self.assertEqual(process.returncode, 0, told)
        self.assertIn(b"of 2304 rows of the receptor's potential", told)
        # The first line comes at once: no rate can be told by then.
        self.assertRegex(told, rb"\r\d+ of 2304 rows of the receptor's potential, \d+ %\x1b\[K")
        self.assertNotIn("rows of", self.few(RECEPTOR, LIGAND, folder="piped").stderr)


# ---- lists in ZDOCK's form ----------------------------------------------------------------------

def turn(angles):
    """Rz(a) Rx(b) Rz(c), as ZDOCK's create_lig has it."""
    a, b, c = angles

    def z(t):
        return [[math.cos(t), -math.sin(t), 0], [math.sin(t), math.cos(t), 0], [0, 0, 1]]
    x = [[1, 0, 0], [0, math.cos(b), -math.sin(b)], [0, math.sin(b), math.cos(b)]]
    return product(product(z(a), x), z(c))


def product(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def transposed(a):
    return [[a[j][i] for j in range(3)] for i in range(3)]


def applied(a, v):
    return [sum(a[i][k] * v[k] for k in range(3)) for i in range(3)]


class Zdock(CommandTest):
    def rescore(self, path, *arguments, folder="rescored"):
        result = self.run_command("dock", RECEPTOR, LIGAND, "--rescore", path, "-o", folder,
                                  "--threads", "1", *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def test_our_own(self):
        """All scores, energies and poses come back, of whole degrees and of others."""
        for number, rotations in enumerate((["--angle-step", "30"], ["--rotations", "spiral:300"])):
            folder = f"searched{number}"
            result = self.run_command("dock", RECEPTOR, LIGAND, "-o", folder, "--grid", "48",
                                      *FEW[2:4], "--threads", "1", *rotations)
            self.assertEqual(result.returncode, 0, result.stderr)
            path = self.path(folder, "zdock.out")
            result = self.rescore(path, *FEW[2:4], folder=f"again{number}")
            self.assertIn("scored with 2.50, -15 and ftdock", result.stderr)
            self.assertNotIn("was moved", result.stderr)
            self.assertEqual([row[2:] for row in rows(self.path(f"again{number}",
                                                                "ftdock_global.dat"))],
                             [row[2:] for row in rows(self.path(folder, "ftdock_global.dat"))])
            found, expected = (contents(self.path(name)) for name in (f"again{number}", folder))
            for name in ("zdock.out", "poses/complex.0001.pdb"):
                self.assertEqual(found[name], expected[name], name)
        with open(path, "rb") as file:
            self.write("packed.out.gz", gzip.compress(b"\xef\xbb\xbf" + file.read()))
        self.rescore("packed.out.gz", *FEW[2:4], folder="packed")
        self.assertEqual(contents(self.path("packed"))["zdock.out"], expected["zdock.out"])
        # Complementarity has no surface, core and electrostatics to be scored with.
        self.assertNotIn("scored with", self.rescore(path, folder="complementarity").stderr)

    def test_lists_of_zdock(self):
        """The ligand is where create_lig puts it, but for the way to the nearest cell."""
        chance = random.Random(5)
        ligand = positions(LIGAND, "I")
        for form in ("2", "3", "switched"):
            angles = [[round(chance.uniform(-3, 3), 6) for _ in range(3)] for _ in range(3)]
            if form == "2":
                angles[0] = [0, 0, 0]
            r = [round(chance.uniform(-5, 5), 3) for _ in range(3)]
            l = [round(chance.uniform(-5, 5), 3) for _ in range(3)]
            t, cells, spacing = [3, 90, 7], 100, 1.2
            head = f"{cells}\t{spacing}" + {"2": "", "3": "\t0", "switched": "\t1"}[form] + "\n"
            for turned in angles[0 if form != "2" else 1:2]:
                head += "\t".join(f"{angle:.6f}" for angle in turned) + "\n"
            for name, centre in (("a receptor.pdb", r), ("ligand.pdb", l)):
                head += f"{name}\t" + "\t".join(f"{value:.3f}" for value in centre) + "\n"
            row = "\t".join(f"{angle:.6f}" for angle in angles[2])
            path = self.write(f"zdock{form}.out", head + row + "\t3\t90\t7\t1234.567\n")
            shift = [spacing * (value - cells if value >= cells / 2 else value) for value in t]
            receptor_turn, ligand_turn, pose = (turn(each) for each in angles)
            expected = []
            for x in ligand:
                if form == "switched":
                    v = applied(receptor_turn, x)
                    v = [v[i] - r[i] + shift[i] for i in range(3)]
                    v = applied(transposed(ligand_turn), applied(transposed(pose), v))
                    expected.append([v[i] + l[i] for i in range(3)])
                else:
                    v = applied(pose, applied(ligand_turn, [x[i] - l[i] for i in range(3)]))
                    v = [v[i] - shift[i] + r[i] for i in range(3)]
                    expected.append(applied(transposed(receptor_turn), v))
            # The list is of molecules elsewhere: move the receptor to where its ligand is.
            middle = [sum(v[i] for v in expected) / len(expected) for i in range(3)]
            receptor = self.write("receptor.pdb", "".join(
                record("ATOM", " CA ", "GLY", "E", i, [middle[k] + 9 * (i == k) for k in range(3)],
                       " C") for i in range(4)))
            result = self.run_command("dock", receptor, LIGAND, "--rescore", path, "-o", form,
                                      "--threads", "1", "--score=ftdock", "--no-electrostatics")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("moved to the nearest place", result.stderr)
            found = positions(self.path(form, "poses", "complex.0001.pdb"), "I")
            off = [[a[i] - b[i] for i in range(3)] for a, b in zip(found, expected)]
            for i in range(3):
                values = [each[i] for each in off]
                self.assertLess(max(values) - min(values), 0.003, form)
                self.assertLess(abs(values[0]), spacing / 2 + 0.003, form)

    def searched(self):
        """The lines of a list written here."""
        result = self.run_command("dock", RECEPTOR, LIGAND, "-o", "searched", *FEW)
        self.assertEqual(result.returncode, 0, result.stderr)
        return read(self.path("searched", "zdock.out")).splitlines()

    def test_columns_after_the_score(self):
        lines = self.searched()
        for more, told in (({5: "\t5 x", 6: " 6"}, "list: 2 rows have more than seven columns, in line 6 first: what "
                            "comes after the score is left out"),
                           ({6: " 6"}, "list: 1 row has more than seven columns, in line 7"), ({}, None)):
            self.write("list", "".join(line + more.get(i, "") + "\n" for i, line in enumerate(lines)))
            result = self.rescore("list", *FEW[2:4])
            self.assertEqual("columns" in result.stderr, told is not None)
            self.assertIn(told or "", result.stderr)
            self.assertEqual([row[2:] for row in rows(self.path("rescored", "ftdock_global.dat"))],
                             [row[2:] for row in rows(self.path("searched", "ftdock_global.dat"))])

    def test_pipes(self):
        self.searched()
        wanted = [row[2:] for row in rows(self.path("searched", "ftdock_global.dat"))]
        for name in ("zdock.out", "ftdock_global.dat"):
            result = subprocess.run([TESELA, "dock", RECEPTOR, LIGAND, "--rescore", "-", "-o", "piped",
                                     *FEW[2:4], "--threads", "1"], cwd=self.folder, capture_output=True, check=False,
                                    timeout=60, input=read(self.path("searched", name)).encode())
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual([row[2:] for row in rows(self.path("piped", "ftdock_global.dat"))], wanted)

    def test_refusals(self):
        good = "48\t2.1\n0\t0\t0\na\t1\t2\t3\nb\t1\t2\t3\n"
        row = "0.1\t0.2\t0.3\t1\t2\t3\t99.0\n"
        for text, words in (("48 2.1\n", ["holds no poses"]), (good, ["holds no poses"]),
                            (good + row + "0.1\t0.2\n", [":6:", "three angles"]),
                            (good + row.replace("\t1\t", "\t1.5\t"), [":5:", "whole number"]),
                            (good.replace("a\t1", "a\tx") + row, [":3:", "its centre"]),
                            (good.replace("0\t0\t0", "0\t0") + row, [":2:", "three angles"]),
                            ("nothing\n", ["neither FTDock's head"])):
            self.write("list", text)
            self.assert_refused(["dock", RECEPTOR, LIGAND, "--rescore", "list", "-o", "out",
                                 "--score=ftdock", "--surface", "3"], ["list", *words])
        os.mkdir(self.path("own"))
        self.write("own/zdock.out", good + row)
        self.assert_refused(["dock", RECEPTOR, LIGAND, "--rescore", "own/zdock.out", "-o", "own"],
                            ["choose another folder"])


if __name__ == "__main__":
    unittest.main()
