"""`tesela poisson`: files against known answers, the suite, the benchmark, and what it refuses."""

import ast
import contextlib
import gzip
import itertools
import math
import operator
import os
import struct
import sys
import unittest

sys.dont_write_bytecode = True  # leave the source tree as it is
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from command import SOURCE, CommandTest, has_library

sys.path.insert(0, os.path.join(SOURCE, "examples"))
import water_cube

QUICK = ["--device", "cpu", "--threads", "1", "--quiet"]
SHAPE = (6, 4, 5)


def npy(values, shape=SHAPE, descr="<f8", fortran=False):
    """The bytes of a .npy file."""
    text = f"{{'descr': {descr!r}, 'fortran_order': {fortran}, 'shape': {tuple(shape)!r}, }}\n"
    code = {"<f8": "<d", "<f4": "<f", ">f8": ">d", "<i8": "<q"}[descr]
    data = b"".join(struct.pack(code, value) for value in values)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + data


def parse(path):
    """(header, values) of a .npy file."""
    with open(path, "rb") as file:
        data = file.read()
    length = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:10 + length].decode())
    code = {"<f8": "<d", "<f4": "<f"}[header["descr"]]
    return header, [value for value, in struct.iter_unpack(code, data[10 + length:])]


def wave(lengths):
    """cos(2 pi x / LX + 4 pi z / LZ) on the grid, and the square of its wavenumber."""
    values = [math.cos(2 * math.pi * (x / SHAPE[0] + 2 * z / SHAPE[2]))
              for x in range(SHAPE[0]) for _ in range(SHAPE[1]) for z in range(SHAPE[2])]
    return values, (2 * math.pi / lengths[0]) ** 2 + (4 * math.pi / lengths[2]) ** 2


class Files(CommandTest):
    def solve(self, content, *arguments):
        self.write("in.npy", content)
        result = self.run_command("poisson", "in.npy", "-o", "out.npy", *QUICK, *arguments)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        return parse(self.path("out.npy"))

    def assert_near(self, found, wanted, bound):
        self.assertEqual(len(found), len(wanted))
        worst = max(abs(a - b) for a, b in zip(found, wanted))
        self.assertLess(worst, bound * max(map(abs, wanted)))

    def test_wave(self):
        source, k2 = wave((3, 1, 2))
        for descr, bound in (("<f8", 1e-13), ("<f4", 1e-6)):
            header, found = self.solve(npy(source, descr=descr), "--lengths", "3,1,2")
            self.assertEqual((header["descr"], header["shape"]), (descr, SHAPE))
            self.assert_near(found, [4 * math.pi / k2 * value for value in source], bound)

    def test_ranks_on_devices(self):
        source, k2 = wave((3, 1, 2))
        for devices, plan in (("cpu,cpu", "overlap=on"), ("sim,sim,sim", "overlap=on"),
                              ("sim,sim,sim", "exchange=staged,segments=2")):
            _, found = self.solve(npy(source), "--lengths", "3,1,2", "--device", devices, "--plan",
                                  plan, "--json", "ranks.json")
            self.assertEqual(self.read_json("ranks.json")["device"], devices)
            self.assert_near(found, [4 * math.pi / k2 * value for value in source], 1e-13)
        self.assert_refused(["poisson", "in.npy", "-o", "none.npy", "--lengths", "3,1,2", "--device",
                             "cpu,sim"], ["ranks 0 and 1 are on cpu and sim"])

    def test_equation_and_screening(self):
        source, k2 = wave((3, 1, 2))
        _, found = self.solve(npy(source), "--lengths", "3,1,2", "--equation", "plain",
                              "--screening", "1.5")
        self.assert_near(found, [-value / (k2 + 2.25) for value in source], 1e-13)

    def test_precision_is_converted(self):
        source, k2 = wave((3, 1, 2))
        header, found = self.solve(npy(source, descr="<f4"), "--lengths", "3,1,2", "--precision",
                                   "double")
        self.assertEqual(header["descr"], "<f8")
        self.assert_near(found, [4 * math.pi / k2 * value for value in source], 1e-6)
        header, _ = self.solve(npy(source), "--lengths", "3,1,2", "--precision", "single")
        self.assertEqual(header["descr"], "<f4")

    def test_point_charge_and_energy(self):
        source = [0.0] * (SHAPE[0] * SHAPE[1] * SHAPE[2])
        source[0] = 1 / 0.001  # a charge of 1 in a cell of edge 0.1
        _, found = self.solve(npy(source), "--lengths", "0.6,0.4,0.5", "--boundary", "free",
                              "--kernel", "point", "--json", "run.json")
        self.assertAlmostEqual(found[2 * 20 + 3 * 5 + 4], 1 / math.sqrt(0.04 + 0.09 + 0.16), 10)
        report = self.read_json("run.json")
        self.assertAlmostEqual(report["results"]["energy"], 0.5 * found[0], 10)
        self.assertEqual(report["parameters"]["boundary"], ["free"] * 3)

    def test_numbers_beyond_numbers(self):
        self.write("in.npy", npy(wave((3, 1, 2))[0]))
        for boundary in ("periodic", "free"):
            for edge in ("1e-160", "1e300"):
                self.assert_refused(["poisson", "in.npy", "-o", "out.npy", "--boundary", boundary,
                                     "--lengths", ",".join([edge] * 3), *QUICK],
                                    ["another unit"])
            self.write("large.npy", npy([1e300] * 60 + [-1e300] * 60))
            solve = ["poisson", "large.npy", "--boundary", boundary, *QUICK, "--lengths"]
            self.assert_refused([*solve, "1e90,1e90,1e90", "-o", "out.npy"],
                                ["large.npy", "the integral", "another unit"])
            if boundary == "periodic":
                self.assert_refused([*solve, "1e5,1e-3,1e-3", "-o", "out.npy"],
                                    ["large.npy", "its potential", "another unit"])
            self.assert_refused([*solve, "1e2,1e2,1e2", "-o", "out.npy", "--precision", "single"],
                                ["large.npy: its numbers, 1e+300 at most", "another unit",
                                 "--precision double"])
            self.assert_refused([*solve, "1e2,1e2,1e2", "--output", "energy"],
                                ["large.npy", "its energy", "another unit"])

    def test_numbers_below_numbers(self):
        solve = ["poisson", "in.npy", "-o", "out.npy", *QUICK, "--lengths"]
        for value, edge, precision in ((1e-300, 1, "single"), (1e-36, 0.1, "single"),
                                       (1e-290, 1e-10, "double")):
            self.write("in.npy", npy([value, -value] * 60))
            run = [*solve, ",".join([str(edge)] * 3), "--precision"]
            self.assert_refused([*run, precision], ["in.npy", precision + " precision",
                                                    "another unit"])
            if precision == "single":
                result = self.run_command(*run, "double")
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertGreater(max(parse(self.path("out.npy"))[1]), 0)
        self.write("in.npy", npy([0.0] * 120))
        result = self.run_command(*solve, "1,1,1")
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_float32_holds_its_charge(self):
        """What rounding leaves of a float32 file's charge is no net charge in double precision."""
        source = [math.cos(2 * math.pi * z / 5 + 0.3) for _ in range(24) for z in range(5)]
        narrow = struct.unpack("<120f", struct.pack("<120f", *source))
        self.assertGreater(abs(sum(narrow)), 1e-9 * sum(map(abs, narrow)))
        _, found = self.solve(npy(source, descr="<f4"), "--lengths", "3,1,2", "--precision", "double")
        self.assert_near(found, [4 / math.pi * value for value in source], 1e-6)

    def test_background(self):
        source, k2 = wave((3, 1, 2))
        _, found = self.solve(npy([value + 7 for value in source]), "--lengths", "3,1,2",
                              "--background")
        self.assert_near(found, [4 * math.pi / k2 * value for value in source], 1e-13)

    def test_mixed_boundary_holds_a_charge(self):
        _, found = self.solve(npy([1.0] * 120), "--lengths", "3,1,2", "--boundary",
                              "periodic,periodic,free")
        self.assertLess(max(found[:5]) - max(found[-5:]), 1e-12)


class Cubes(CommandTest):
    CUBE = " t\n c\n 1 0 0 0\n 6 0.5 0 0\n 4 0 0.25 0\n 5 0 0 0.4\n 8 6 1 2 3\n"

    def test_memory_is_settled_by_the_header(self):
        """Before the values are read: here they are missing, or no numbers."""
        header = " t\n c\n 0 0 0 0\n 900 1 0 0\n 800 0 1 0\n 700 0 0 1\n"
        for name, tail in (("bare.cube", ""), ("long.cube", "x" * 200000)):
            self.write(name, header + tail)
            self.write(name + ".gz", gzip.compress((header + tail).encode()))
            for path in (name, name + ".gz") if has_library("zlib") else (name,):
                self.assert_refused(["poisson", path, "-o", "out.npy", "--memory", "1G", *QUICK],
                                    [path, "900 x 800 x 700 cells need", "1.0 GiB are allowed"])

    def cube(self, values):
        self.write("in.cube", self.CUBE + "\n".join(f"{value:.12e}" for value in values) + "\n")

    def solve(self, output, *arguments):
        result = self.run_command("poisson", "in.cube", "-o", output, *QUICK, *arguments)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))

    def test_electrons_and_charge(self):
        source, k2 = wave((3, 1, 2))
        self.cube(source)
        for sign, arguments in ((-1, []), (1, ["--sign", "charge"]),
                                (-1, ["--sign", "electrons"])):
            self.solve("out.npy", *arguments)
            _, found = parse(self.path("out.npy"))
            for value, potential in zip(source, found):
                self.assertAlmostEqual(potential, sign * 4 * math.pi / k2 * value, 10)

    def test_a_cube_comes_back(self):
        source, k2 = wave((3, 1, 2))
        self.cube(source)
        self.solve("out.cube")
        with open(self.path("out.cube"), encoding="ascii") as file:
            lines = file.read().splitlines()
        self.assertIn("electrons", lines[0])
        self.assertEqual([line.split()[0] for line in lines[2:7]], ["1", "6", "4", "5", "8"])
        found = [float(word) for line in lines[7:] for word in line.split()]
        for value, potential in zip(source, found):
            self.assertAlmostEqual(potential, -4 * math.pi / k2 * value, 4)

    def test_refused(self):
        solve = ["poisson", "in.cube", "-o", "out.cube", *QUICK]
        source, _ = wave((3, 1, 2))
        self.cube(source[:-1])
        self.assert_refused(solve, ["in.cube:126: ", "119 of 120 values"])
        self.write("in.cube", self.CUBE.replace("6 0.5 0 0", "6 0.5 0.1 0"))
        self.assert_refused(solve, ["in.cube:4: ", "triclinic"])
        self.cube(source)
        self.assert_refused([*solve, "--lengths", "1,1,1"], ["in.cube", "says them itself"])
        self.write("in.npy", npy(source))
        self.assert_refused(["poisson", "in.npy", "-o", "out.cube", "--lengths", "1,1,1", *QUICK],
                            ["out.cube", "write .npy"])
        self.assert_refused([*solve, "--equation", "plain", "--sign", "electrons"],
                            ["--sign electrons"])


class Nuclei(CommandTest):
    """A cube of cubic cells, with one atom on a sample and one outside of the box."""

    N, H = (5, 4, 6), 0.3
    OWN = (6 * math.asinh(math.sqrt(0.5)) - 0.5 * math.pi) / H  # the mean of 1 / r in a cell
    ORIGIN = (-0.5, 0.25, 1.0)
    ATOMS = [(8, 8.0, (0.1, 0.55, 1.9)), (1, 1.0, (1.3, 0.6, 0.2))]

    def setUp(self):
        super().setUp()
        self.samples = [tuple(o + self.H * i for o, i in zip(self.ORIGIN, index))
                        for index in itertools.product(*map(range, self.N))]
        self.density = [math.exp(-math.dist(at, self.ATOMS[0][2]) ** 2) for at in self.samples]

    def cube(self, name="in.cube", density=None, atoms=None, shift=0.0):
        atoms = self.ATOMS if atoms is None else atoms
        lines = ["t", "c", f"{len(atoms)} " + " ".join(map(str, self.ORIGIN))]
        for axis in range(3):
            step = [0.0, 0.0, 0.0]
            step[axis] = self.H
            lines.append(f"{self.N[axis]} " + " ".join(map(str, step)))
        for number, charge, at in atoms:
            lines.append(f"{number} {charge} " + " ".join(str(x + shift) for x in at))
        lines += [f"{value:.15e}" for value in (self.density if density is None else density)]
        self.write(name, "\n".join(lines) + "\n")

    def solve(self, *arguments, boundary="free", kernel=("--kernel", "point")):
        result = self.run_command("poisson", "in.cube", "--boundary", boundary, *kernel,
                                  "--json", "run.json", *QUICK, *arguments)
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)
        return self.read_json("run.json")

    def near(self, a, b):
        return self.OWN if math.dist(a, b) < 1e-9 else 1 / math.dist(a, b)

    def wanted(self, charges, scale=1.0):
        """Direct sums: the potential, and the three energies."""
        volume = self.H ** 3
        source = [-scale * value * volume for value in self.density]
        own = [sum(q * self.near(at, b) for q, b in zip(source, self.samples))
               for at in self.samples]
        nuclei = [sum(q * self.near(at, b[2]) for q, b in zip(charges, self.ATOMS))
                  for at in self.samples]
        energies = {"source": 0.5 * sum(map(operator.mul, source, own)),
                    "source_nuclei": sum(map(operator.mul, source, nuclei)),
                    "nuclei": charges[0] * charges[1]
                              / math.dist(self.ATOMS[0][2], self.ATOMS[1][2])}
        return list(map(operator.add, own, nuclei)), energies

    def assert_solved(self, report, charges, scale=1.0):
        _, found = parse(self.path("out.npy"))
        potential, energies = self.wanted(charges, scale)
        for a, b in zip(found, potential):
            self.assertAlmostEqual(a, b, 10)
        results = report["results"]
        for name, energy in energies.items():
            self.assertAlmostEqual(results["energies"][name], energy, 10)
        self.assertAlmostEqual(results["energy"], sum(energies.values()), 10)
        self.assertAlmostEqual(results["scale"], scale, 12)
        self.assertEqual([nucleus["charge"] for nucleus in results["nuclei"]], charges)
        self.assertEqual([nucleus["element"] for nucleus in results["nuclei"]], ["O", "H"])

    def test_direct_sums(self):
        self.cube()
        held = sum(self.density) * self.H ** 3
        self.assert_solved(self.solve("--nuclei", "add", "-o", "out.npy"), [8, 1])
        report = self.solve("--nuclei", "add", "--valence", "O=6", "-o", "out.npy", "--electrons",
                            "neutral")
        self.assert_solved(report, [6, 1], 7 / held)
        self.assertAlmostEqual(report["results"]["charge"]["source"], -7, 12)
        report = self.solve("--nuclei", "add", "--valence", "H=1.5,O=6", "--electrons", "6.5",
                            "-o", "out.npy")
        self.assert_solved(report, [6, 1.5], 6.5 / held)

    def test_sampling(self):
        self.cube()
        self.solve("--nuclei", "add", "-o", "corners.npy")
        self.cube(shift=0.5 * self.H)
        self.solve("--nuclei", "add", "--sampling", "centres", "-o", "centres.npy")
        _, corners = parse(self.path("corners.npy"))
        _, centres = parse(self.path("centres.npy"))
        for a, b in zip(corners, centres):
            self.assertAlmostEqual(a, b, 10)

    def test_field(self):
        """Of nuclei alone; by the truncated kernel, the empty density is as well resolved."""
        self.cube(density=[0.0] * len(self.samples))
        self.solve("--nuclei", "add", "--output", "field", "-o", "out.npy", kernel=())
        header, found = parse(self.path("out.npy"))
        self.assertEqual(header["shape"], (3, *self.N))
        self.solve("--nuclei", "add", "--output", "field", "-o", "out.cube", kernel=())
        with open(self.path("out.cube"), encoding="ascii") as file:
            lines = file.read().splitlines()
        self.assertEqual(lines[2].split()[4], "3")
        self.assertIn("electrostatic field", lines[0])
        vectors = [float(word) for line in lines[8:] for word in line.split()]
        cells = len(self.samples)
        self.assertEqual(len(vectors), 3 * cells)
        for i, at in enumerate(self.samples):
            for axis in range(3):
                wanted = sum(q * (at[axis] - b[axis]) / math.dist(at, b) ** 3
                             for _, q, b in self.ATOMS if math.dist(at, b) > 1e-9)
                self.assertAlmostEqual(found[axis * cells + i], wanted, 9)
                self.assertLess(abs(vectors[3 * i + axis] - wanted), 1e-5 * (1 + abs(wanted)))

    def test_energy_needs_no_file(self):
        self.cube()
        report = self.solve("--nuclei", "add", "--output", "energy")
        self.assertAlmostEqual(report["results"]["energy"], sum(self.wanted([8, 1])[1].values()),
                               10)
        self.assertEqual(sorted(os.listdir(self.folder)), ["in.cube", "run.json"])

    def test_nothing_has_no_sign(self):
        self.cube(density=[0.0] * len(self.samples))
        result = self.run_command("poisson", "in.cube", "--output", "energy", "--json", "run.json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("charge      0\nenergy      0 hartree\n", result.stdout)
        self.assertEqual(str(self.read_json("run.json")["results"]["charge"]["source"]), "0")

    def test_salt(self):
        """A crystal of ions in an empty density: Madelung's constant."""
        a = self.H * 4
        atoms = [(11 if sum(at) % 2 == 0 else 17, 1.0 if sum(at) % 2 == 0 else -1.0,
                  tuple(0.05 + 0.5 * a * x for x in at))
                 for at in itertools.product(range(2), repeat=3)]
        self.N = (4, 4, 4)
        self.cube(density=[0.0] * 64, atoms=atoms)
        report = self.solve("--nuclei", "add", "-o", "out.npy", boundary="periodic", kernel=())
        self.assertAlmostEqual(report["results"]["energy"], -4 * 1.747564594633182 / (0.5 * a), 10)
        _, found = parse(self.path("out.npy"))
        # ions change places under a shift of half the edge
        for x, y, z in itertools.product(range(4), repeat=3):
            self.assertAlmostEqual(found[16 * x + 4 * y + z],
                                   -found[16 * ((x + 2) % 4) + 4 * y + z], 10)

    def test_periodic_boxes_must_be_neutral(self):
        self.cube()
        solve = ["poisson", "in.cube", "--nuclei", "add", "-o", "out.npy", *QUICK]
        self.assert_refused(solve, ["in.cube", "net charge of 7.12", "--electrons neutral",
                                    "--valence", "--background", "--boundary"])
        options = {"boundary": "periodic", "kernel": ()}
        self.solve("--nuclei", "add", "-o", "out.npy", "--electrons", "neutral", **options)
        self.solve("--nuclei", "add", "-o", "both.npy", "--background", **options)
        self.solve("-o", "density.npy", "--background", **options)
        self.cube(density=[0.0] * len(self.samples))
        self.solve("--nuclei", "add", "-o", "nuclei.npy", "--background", **options)
        both, density, nuclei = (parse(self.path(name + ".npy"))[1]
                                 for name in ("both", "density", "nuclei"))
        for a, b, c in zip(both, density, nuclei):
            self.assertAlmostEqual(a, b + c, 10)

    def test_slabs_and_wires(self):
        """Far from a nucleus planes of a slab have the mean of a sheet."""
        self.N = (4, 4, 70)
        x, y, z = self.ORIGIN
        self.cube(density=[0.0] * 1120, atoms=[(3, 3.0, (x + 0.1, y + 0.7, z + 20 * self.H))])
        self.solve("--nuclei", "add", "-o", "out.npy", boundary="periodic,periodic,free", kernel=())
        _, found = parse(self.path("out.npy"))
        for plane in (43, 69):
            mean = sum(found[plane::70]) / 16
            self.assertAlmostEqual(mean, -6 * math.pi * (plane - 20) / (16 * self.H), 10)
        self.cube(density=[0.0] * 1120, atoms=[(3, 3.0, (x, y, z + 69 * self.H - 5.7))])
        for axis, boundary in (("z", "periodic,periodic,free"), ("y", "periodic,free,free")):
            self.assert_refused(["poisson", "in.cube", "--boundary", boundary, "--nuclei", "add",
                                 "-o", "out.npy", *QUICK],
                                ["in.cube", "atom 1", "free axis " + axis, "need 5.73", "more room"])

    def test_strange_atoms_are_noted(self):
        energy = ["poisson", "in.cube", "--boundary", "free", "--nuclei", "add", "--output",
                  "energy", *QUICK[:-1]]
        x, y, z = self.ORIGIN
        for atoms, words in (([(200, 2.0, (x + 0.5, y + 0.5, z + 0.5))], ["atom 1 has number 200"]),
                             ([(8, 8.0, (x, y, z)), (1, 1.0, (x, y, z - 0.5))],
                              ["atom 2 is outside the box along z: its charge is taken where"]),
                             ([(8, 8.0, (x, y, z)), (1, -1.0, (x, y, z + 0.5))],
                              ["atom 2 has a negative charge, -1: "]),
                             ([(8, 8.0, (x, y, z))], [])):
            self.cube(atoms=atoms)
            result = self.run_command(*energy)
            self.assertEqual(result.returncode, 0, result.stderr)
            notes = [line for line in result.stderr.splitlines() if " has number " in line
                     or " outside the box " in line or " has a negative " in line]
            self.assertEqual(len(notes), len(words), result.stderr)
            for note, word in zip(notes, words):
                self.assertIn("in.cube: " + word, note)

    def test_a_fraction_of_a_charge_is_noted(self):
        self.cube()
        arguments = ["poisson", "in.cube", "--boundary", "free", "--nuclei", "add", "--output",
                     "energy", "--device", "cpu"]
        result = self.run_command(*arguments)
        self.assertIn("is no whole number", result.stderr)
        for words in ("1 O of charge 8, 1 H of charge 1", "electrons: minus the numbers read"):
            self.assertIn(words, result.stdout)
        result = self.run_command(*arguments, "--electrons", "neutral")
        self.assertNotIn("whole number", result.stderr)

    def test_refused(self):
        free = ["poisson", "in.cube", "--boundary", "free", "-o", "out.npy", *QUICK]
        add = [*free, "--nuclei", "add"]
        self.cube()
        self.assert_refused([*free, "--valence", "O=6"], ["--valence", "--nuclei add"])
        self.assert_refused([*add, "--valence", "C=4"], ["in.cube", "no atom of C"])
        for bad in ("O", "O=", "=6", "O=-1", "O=6,", "Oxygen=6", "Qq=1", "O=6;H=1"):
            self.assert_refused([*add, "--valence", bad], ["--valence '" + bad + "'", "O=6,H=1"])
        for twice in (["H=1,O=6,H=2"], ["H=1", "--valence", "H=2"]):
            self.assert_refused([*add, "--valence", *twice], ["gives H a second charge"])
        self.assert_refused([*free, "--electrons", "neutral"], ["--nuclei add"])
        self.assert_refused([*add, "--electrons", "-3"], ["--electrons '-3'", "neutral"])
        self.assert_refused([*add, "--sign", "charge", "--electrons", "8"], ["--sign electrons"])
        self.assert_refused([*add, "--equation", "plain"], ["--nuclei add", "electrostatic"])
        self.assert_refused([*add, "--screening", "1"], ["--nuclei add", "--screening"])
        self.assert_refused([*add, "--output", "energy"], ["--output energy", "leave -o out"])
        self.assert_refused([*add, "--output", "out.npy"], ["potential, field or energy"])
        self.assert_refused([*free[:-5], "-o", "out.cube.gz", *QUICK], ["leave .gz out"])
        self.write("in.npy", npy([1.0] * 120))
        self.assert_refused(["poisson", "in.npy", "--lengths", "1,1,1", "--nuclei", "add", "-o",
                             "out.npy", *QUICK], ["in.npy has no atoms"])
        self.cube(density=[-1.0] * len(self.samples))
        self.assert_refused([*add, "--electrons", "neutral"], ["in.cube", "electrons", "factor"])
        self.cube(atoms=[(8, 0.0, (0.1, 0.5, 1.9))])
        self.assert_refused(add, ["in.cube", "atom 1, O, no charge", "--valence O="])
        self.cube(atoms=[])
        self.assert_refused(add, ["in.cube", "no atoms"])
        self.cube(atoms=[(8, 8.0, (0.1, 0.5, 1e30))])
        self.assert_refused([*add, "--boundary", "periodic"],
                            ["in.cube: atom 1 is 1e+30 bohr", "periodic axis z", "mend its position"])
        self.cube(atoms=[self.ATOMS[0], (1, 1.0, self.ATOMS[0][2])])
        self.assert_refused(add, ["in.cube", "two of its atoms are at one place"])
        image = [x + n * self.H for x, n in zip(self.ATOMS[0][2], self.N)]
        self.cube(atoms=[self.ATOMS[0], (1, 1.0, image)])
        self.assert_refused([*add, "--boundary", "periodic"], ["two of its atoms are at one place"])
        self.cube(atoms=[(8, 1e308, at) for _, _, at in self.ATOMS])
        self.assert_refused(add, ["in.cube: the energy of its nuclei is beyond any number"])


def read_cube(path):
    """(atoms as [number, charge, x, y, z], samples, values) of a cube."""
    with open(path, encoding="ascii") as file:
        lines = [line.split() for line in file.read().splitlines()]
    count, origin = int(lines[2][0]), [float(word) for word in lines[2][1:4]]
    axes = [[start + i * float(line[1 + axis]) for i in range(int(line[0]))]
            for axis, (start, line) in enumerate(zip(origin, lines[3:6]))]
    atoms = [[float(word) for word in line] for line in lines[6:6 + count]]
    values = [float(word) for line in lines[6 + count:] for word in line]
    return atoms, list(itertools.product(*axes)), values


class Water(CommandTest):
    SOLVE = ["--boundary", "free", "--nuclei", "add", "--valence", "O=6,H=1", "--electrons",
             "neutral", "-o", "out.cube", *QUICK]
    REFERENCE = os.path.join(SOURCE, "..", "shared", "data", "cube")

    @staticmethod
    def slater(at):
        """The potential of the example's density and nuclei, in closed form."""
        total = 0.0
        for _, charge, electrons, n, zeta, centre in water_cube.ATOMS:
            r = math.dist(at, centre)
            x = 2 * zeta * r
            screened = 1 + 0.5 * x if n == 1 else 1 + 0.75 * x + 0.25 * x * x + x ** 3 / 24
            held = electrons * (1 - math.exp(-x) * screened)
            total += ((6 if charge == 8 else charge) - held) / r
        return total

    def test_example(self):
        with open(self.path("water.cube"), "w", encoding="ascii") as file, \
                contextlib.redirect_stdout(file):
            water_cube.main()
        result = self.run_command("poisson", "water.cube", *self.SOLVE)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        atoms, samples, found = read_cube(self.path("out.cube"))
        worst = {1: 0.0, 3: 0.0}
        for at, value in list(zip(samples, found))[::11]:
            least = min(math.dist(at, atom[2:]) for atom in atoms)
            for limit in worst:
                if least >= limit:
                    worst[limit] = max(worst[limit], abs(value - self.slater(at)))
        self.assertLess(worst[1], 2e-4)
        self.assertLess(worst[3], 3e-5)

    @unittest.skipUnless(os.path.isdir(REFERENCE), "there are no reference cubes")
    def test_reference(self):
        """A density and the potential that its program gave, 3 to 6 bohr off the nuclei; and the
        direct sum of the same quadrature."""
        density = os.path.join(self.REFERENCE, "h2o-dens.cube")
        for output in ("out.cube", "out.npy"):
            result = self.run_command("poisson", density, "--kernel", "point", *self.SOLVE[:-6],
                                      output, *QUICK)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
        atoms, samples, wanted = read_cube(os.path.join(self.REFERENCE, "h2o-pot.cube"))
        _, _, found = read_cube(self.path("out.cube"))
        errors = [a - b for at, a, b in zip(samples, found, wanted)
                  if 3 <= min(math.dist(at, atom[2:]) for atom in atoms) <= 6]
        self.assertGreater(len(errors), 40000)
        self.assertLess(max(map(abs, errors)), 1.5e-3)
        self.assertLess(math.sqrt(sum(error * error for error in errors) / len(errors)), 4e-4)

        _, _, electrons = read_cube(density)
        h = samples[1][2] - samples[0][2]
        _, exact = parse(self.path("out.npy"))
        own = (6 * math.asinh(math.sqrt(0.5)) - 0.5 * math.pi) / h
        scale = 8 / sum(electrons)
        for i in range(777, len(samples), 6400):
            at = samples[i]
            total = sum((6 if atom[0] == 8 else 1) / math.dist(at, atom[2:]) for atom in atoms)
            total -= scale * math.fsum(value * (1 / math.dist(at, other) if j != i else own)
                                       for j, (value, other) in enumerate(zip(electrons, samples)))
            self.assertAlmostEqual(exact[i], total, 10)


class Hdf5(CommandTest):
    def solve(self, *arguments):
        result = self.run_command("poisson", *arguments, "--lengths", "3,1,2", *QUICK)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))

    @unittest.skipUnless(has_library("HDF5"), "built without HDF5")
    def test_round_trip(self):
        source, k2 = wave((3, 1, 2))
        for descr in ("<f8", "<f4"):
            self.write("in.npy", npy(source, descr=descr))
            self.solve("in.npy", "-o", "once.npy")
            self.solve("in.npy", "-o", "once.h5")
            with open(self.path("once.h5"), "rb") as file:  # numbers without units have none then
                self.assertIn(b"electrostatic potential of the charge density", file.read())
            self.solve("once.npy", "-o", "twice.npy")
            self.solve("once.h5", "--dataset", "potential", "-o", "there.npy")
            with open(self.path("twice.npy"), "rb") as a, open(self.path("there.npy"), "rb") as b:
                self.assertEqual(a.read(), b.read())
            _, found = parse(self.path("there.npy"))
            self.assertLess(max(abs((4 * math.pi / k2) ** 2 * a - b)
                                for a, b in zip(source, found)), 1e-5)

    @unittest.skipUnless(has_library("HDF5"), "built without HDF5")
    def test_refused(self):
        source, _ = wave((3, 1, 2))
        self.write("in.npy", npy(source))
        self.solve("in.npy", "-o", "phi.h5")
        self.solve("in.npy", "--output", "field", "-o", "field.hdf5")
        rest = ["-o", "out.npy", "--lengths", "3,1,2", *QUICK]
        self.assert_refused(["poisson", "phi.h5", "--dataset", "rho", *rest],
                            ["phi.h5", "no dataset 'rho'", "potential"])
        self.assert_refused(["poisson", "field.hdf5", "--dataset", "field", *rest],
                            ["field.hdf5", "4 axes"])
        self.assert_refused(["poisson", "in.npy", "--dataset", "rho", *rest],
                            ["--dataset goes with an HDF5 or .npz input"])
        self.write("bad.h5", "no HDF5 file")
        self.assert_refused(["poisson", "bad.h5", "--dataset", "rho", *rest],
                            ["bad.h5", "not a cube file (nor .npy or HDF5"])
        self.assert_refused(["poisson", "none.h5", "--dataset", "rho", *rest],
                            ["none.h5", "No such file"])

    @unittest.skipIf(has_library("HDF5"), "built with HDF5")
    def test_without(self):
        self.write("in.npy", npy([1.0] * 120))
        self.assert_refused(["poisson", "in.npy", "-o", "out.h5", "--lengths", "1,1,1", *QUICK],
                            ["out.h5", "no HDF5", "tesela info"])


class Figures(CommandTest):
    def test_figure(self):
        source, _ = wave((3, 1, 2))
        self.write("in.npy", npy(source))
        solve = ["poisson", "in.npy", "-o", "out.npy", "--lengths", "3,1,2", *QUICK]
        if not has_library("Cairo"):
            self.assert_refused([*solve, "--figure", "out.svg"], ["out.svg", "no Cairo"])
            return
        result = self.run_command(*solve, "--figure", "out.svg")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        with open(self.path("out.svg"), encoding="utf-8") as file:
            self.assertEqual(file.read().count("<image"), 6)
        self.assert_refused([*solve[:3], "sub.npy", *solve[4:], "--figure", "no/out.svg"],
                            ["--figure no/out.svg", "make that folder first"])


if __name__ == "__main__":
    unittest.main()
