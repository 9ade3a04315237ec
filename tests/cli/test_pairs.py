"""`tesela pairs`: files against plain Python, and what it refuses."""

import ast
import gzip
import json
import math
import os
import random
import struct
import subprocess
import sys
import unittest
import zipfile

sys.dont_write_bytecode = True  # leave the source tree as it is
from command import LIGAND, RECEPTOR, TESELA, CommandTest, has_library

QUICK = ["--device", "cpu", "--threads", "1", "--quiet"]


def npy(rows, code="d", fortran=False):
    """The bytes of a .npy file of points."""
    shape = (len(rows), len(rows[0]) if rows else 3)
    if fortran:
        values = [row[k] for k in range(shape[1]) for row in rows]
    else:
        values = [x for row in rows for x in row]
    size = struct.calcsize(code)
    kind = "i" if code in "iq" else "f"
    text = f"{{'descr': '<{kind}{size}', 'fortran_order': {fortran}, 'shape': {shape!r}, }}\n"
    return (b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text.encode() +
            struct.pack(f"<{len(values)}{code}", *values))


def load(path):
    """(shape, type, values) of a .npy file."""
    with open(path, "rb") as file:
        data = file.read()
    length = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:10 + length].decode())
    code = {"<f4": "f", "<f8": "d", "<i4": "i", "<i8": "q"}[header["descr"]]
    count = math.prod(header["shape"])
    return header["shape"], code, struct.unpack(f"<{count}{code}", data[10 + length:])


class Stages(CommandTest):
    def test_each_task_tells_where_time_went(self):
        generator = random.Random(6)
        points = [[generator.random() for _ in range(3)] for _ in range(60)]
        self.write("p.npy", npy(points))
        for task, stage in (("distance p.npy -o d.npy", "distances"),
                            ("neighbors p.npy --cutoff 0.3 -o n.npz", "list neighbours"),
                            ("knn p.npy --k 3 -o k.npz", "nearest points"),
                            ("histogram p.npy --bins 4 --to 0.4 -o h.npz", "sort and count"),
                            ("energy p.npy --potential gravity", "energy"),
                            ("triplets p.npy", "triples"),
                            ("maps --cells 64 --rows-tried 100", "maps"),
                            (f"contacts {RECEPTOR} {LIGAND}", "neighbours")):
            with self.subTest(task=task):
                result = self.run_command("pairs", *task.split(), "--device", "cpu", "--threads", "1", "--profile")
                self.assertEqual(result.returncode, 0, result.stderr)
                stages = result.stderr.split("GFLOP/s     calls\n")[1]
                self.assertIn(stage, stages)


class Distances(CommandTest):
    def distance(self, *arguments):
        result = self.run_command("pairs", "distance", *arguments, "-o", "d.npy", *QUICK)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        return load(self.path("d.npy"))

    def assert_near(self, values, expected, tolerance=1e-13):
        self.assertEqual(len(values), len(expected))
        for value, right in zip(values, expected):
            self.assertLessEqual(abs(value - right), tolerance * right)

    def test_told_by_content(self):
        generator = random.Random(4)
        points = [[generator.randrange(-99, 99) / 8 for _ in range(3)] for _ in range(9)]
        table = "".join(" ".join(map(str, point)) + "\n" for point in points).encode()
        pairs = [math.dist(p, q) for i, p in enumerate(points) for q in points[i + 1:]]
        with zipfile.ZipFile(self.path("p.npz"), "w") as archive:
            archive.writestr("p.npy", npy(points))
        names = {"array": npy(points), "table": table, "wrong.npy.csv": npy(points), "p.npz": None}
        if has_library("zlib"):
            names |= {"p.npy.gz": gzip.compress(npy(points)), "p.csv.gz": gzip.compress(b"x,y,z\n" + table)}
        for name, data in names.items():
            if data is not None:
                self.write(name, data)
            result = self.run_command("pairs", "distance", name, "-o", "d.npy", *QUICK)
            self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)
            self.assert_near(load(self.path("d.npy"))[2], pairs)
        for data in (npy(points), table):
            result = subprocess.run([TESELA, "pairs", "distance", "-", "-o", "d.npy", *QUICK], cwd=self.folder,
                                    input=data, capture_output=True, check=False, timeout=60)
            self.assertEqual((result.returncode, result.stderr), (0, b""))
            self.assert_near(load(self.path("d.npy"))[2], pairs)
        self.assert_refused(["pairs", "distance", "/dev/zero", "-o", "e.npy", *QUICK], ["/dev/zero: not a text file"])

    def test_atoms_that_are_no_points(self):
        atom = "{:<6}    1 {:<4} {:<3} A{:4}    {:8.3f}   0.000   0.000  1.00  0.00          {:>2}\n"
        self.write("m.pdb", "".join(atom.format(*row) for row in (
            ("ATOM", " N  ", "GLY", 1, 1, "N"), ("ATOM", " H  ", "GLY", 1, 2, "H"), ("ATOM", " CA ", "GLY", 1, 3, "C"),
            ("HETATM", " O  ", "HOH", 2, 5, "O"))))
        result = self.run_command("pairs", "distance", "m.pdb", "-o", "d.npy", *QUICK[:4])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("m.pdb: its atoms are points, but for 1 waters, 1 hydrogens, 0 atoms of alternate", result.stderr)
        self.assertEqual(load(self.path("d.npy"))[2], (2.0,))

    def test_layouts_types_and_chunks(self):
        generator = random.Random(3)
        points = [[generator.randrange(-99, 99) / 8 for _ in range(3)] for _ in range(41)]
        others = points[:7]
        pairs = [math.dist(p, q) for i, p in enumerate(points) for q in points[i + 1:]]
        self.write("p.npy", npy(points))
        self.write("f.npy", npy(points, fortran=True))
        self.write("s.npy", npy(points, "f"))
        self.write("o.npy", npy(others))
        self.write("t.csv", "\n".join(", ".join(map(repr, p)) for p in points))
        for name, code, tolerance in (("p.npy", "d", 1e-13), ("f.npy", "d", 1e-13),
                                      ("s.npy", "f", 1e-6), ("t.csv", "d", 1e-13)):
            shape, found, values = self.distance(name)
            self.assertEqual((shape, found), ((820,), code))
            self.assert_near(values, pairs, tolerance)
        for chunk in ("1", "1000", "1M"):
            self.assert_near(self.distance("p.npy", "--chunk", chunk)[2], pairs)
        shape, _, values = self.distance("p.npy", "--layout", "square")
        self.assertEqual(shape, (41, 41))
        self.assert_near(values, [math.dist(p, q) for p in points for q in points])
        shape, _, values = self.distance("p.npy", "--layout", "packed")
        self.assertEqual(shape, (861,))
        self.assert_near(values, [math.dist(p, q) for i, p in enumerate(points)
                                  for q in points[:i + 1]])
        shape, _, values = self.distance("p.npy", "o.npy", "--metric", "cityblock")
        self.assertEqual(shape, (41, 7))
        self.assert_near(values, [sum(abs(a - b) for a, b in zip(p, q)) for p in points
                                  for q in others])

    def test_differences_take_the_place_of_products(self):
        generator = random.Random(5)
        points = [[generator.random() for _ in range(70)] for _ in range(30)]
        self.write("p.npy", npy(points))
        run = ["pairs", "distance", "p.npy", "-o", "d.npy", "--device", "sim", "--threads", "1", "--quiet"]
        found = []
        for more in ([], ["--differences"]):
            result = self.run_command(*run, *more)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            found.append(load(self.path("d.npy"))[2])
            self.assert_near(found[-1], [math.dist(p, q) for i, p in enumerate(points) for q in points[i + 1:]])
        self.assertNotEqual(found[0], found[1])  # in the last digits

    def test_whole_numbers_names_and_blanks(self):
        self.write("i.npy", npy([[0, 0], [3, 4]], "i"))
        self.assertEqual(self.distance("i.npy"), ((1,), "d", (5.0,)))
        self.write("t.txt", "# two points\n0 0\n\n3\t 4\r\n")
        self.assertEqual(self.distance("t.txt")[2], (5.0,))
        self.write("t.csv", "x;y\n0;0\n3;4\n")
        result = self.run_command("pairs", "distance", "t.csv", "-o", "d.npy", "--device", "cpu")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("t.csv:1: passed over as names of columns", result.stderr)
        self.assertIn("2 points of 2 coordinates", result.stdout)

    def test_two_precisions_and_minkowski(self):
        self.write("s.npy", npy([[0, 0], [1, 1]], "f"))
        self.write("d.csv", "3,4\n")
        result = self.run_command("pairs", "distance", "s.npy", "d.csv", "-o", "d.npy", "--metric",
                                  "minkowski", "--p", "inf", "--device", "cpu")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("s.npy: taken in double precision", result.stderr)
        self.assertEqual(load(self.path("d.npy")), ((2, 1), "d", (4.0, 3.0)))

    def test_atoms(self):
        shape, code, values = self.distance(RECEPTOR)
        count = round((1 + math.sqrt(1 + 8 * shape[0])) / 2)
        self.assertEqual((count * (count - 1) // 2, code), (shape[0], "d"))
        self.assertTrue(all(0.5 < value < 200 for value in values))

    def test_figure_is_the_same_of_all_layouts(self):
        generator = random.Random(8)
        self.write("p.npy", npy([[generator.random() for _ in range(3)] for _ in range(30)]))
        self.write("o.npy", npy([[generator.random() for _ in range(3)] for _ in range(500)], "f"))
        run = ["pairs", "distance", "p.npy", "-o", "d.npy", *QUICK, "--chunk", "900"]
        figures = []
        for layout in ("condensed", "square", "packed"):
            result = self.run_command(*run, "--layout", layout, "--figure", f"{layout}.svg")
            if "no Cairo" in result.stderr:
                self.skipTest("built without Cairo")
            self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
            with open(self.path(f"{layout}.svg"), encoding="utf-8") as file:
                figures.append(file.read())
        self.assertIn("<svg", figures[0])
        self.assertEqual(figures[1:], figures[:1] * 2)
        for more in (["o.npy"], ["--metric", "cityblock"]):
            result = self.run_command(*run, *more, "--figure", "other.svg")
            self.assertEqual(result.returncode, 0, result.stderr)
            with open(self.path("other.svg"), encoding="utf-8") as file:
                self.assertNotEqual(file.read(), figures[0])
        self.write("e.npy", npy([]))
        result = self.run_command("pairs", "distance", "e.npy", "-o", "d.npy", *QUICK, "--figure", "empty.svg")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assert_refused([*run, "--figure", "d.txt"], [".svg, .png or .pdf"])

    def test_none_and_one(self):
        for rows in ([], [[1, 2, 3]]):
            self.write("p.npy", npy(rows))
            self.assertEqual(self.distance("p.npy")[0], (0,))
            self.assertEqual(self.distance("p.npy", "--layout", "square")[0], (len(rows),) * 2)
            self.assertEqual(self.distance("p.npy", "p.npy")[2], (0.0,) * len(rows))

    def test_refusals(self):
        self.write("p.npy", npy([[0, 0], [1, 1]]))
        self.write("q.npy", npy([[0, 0, 1]]))
        self.write("n.npy", npy([[0, 0], [1, math.nan]]))
        self.write("z.npy", npy([[], []]))
        self.write("r.csv", "1,2\n3,4\n5\n")
        self.write("w.csv", "1,2\n3,four\n")
        self.write("e.csv", "\n")
        task = ["pairs", "distance"]
        self.assert_refused(["pairs", "distances"], ["distances", "did you mean distance?"])
        self.assert_refused(["pairs", "--fast"], ["unknown option"])
        self.assert_refused(task, ["a file of points is missing"])
        self.assert_refused([*task, "p.npy"], ["-o D.npy is missing"])
        out = ["-o", "d.npy", "--device", "cpu"]
        self.assert_refused([*task, "p.npy", "-o", "d.txt"], [".npy"])
        self.assert_refused([*task, "p.npy", "-o", "p.npy"], ["p.npy"])
        self.assert_refused([*task, "p.npy", "q.npy", "p.npy", *out], ["too many"])
        self.assert_refused([*task, "p.npy", *out, "--metric", "euclid"], ["euclidean?"])
        self.assert_refused([*task, "p.npy", *out, "--p", "3"], ["--metric minkowski"])
        self.assert_refused([*task, "p.npy", *out, "--metric", "minkowski", "--p", "-1"], ["above 0"])
        self.assert_refused([*task, "p.npy", *out, "--layout", "full"], ["condensed"])
        self.assert_refused([*task, "p.npy", "p.npy", *out, "--layout", "square"], ["rectangle"])
        self.assert_refused([*task, "p.npy", "q.npy", *out], ["p.npy", "q.npy", "2", "3"])
        self.assert_refused([*task, "n.npy", *out], ["n.npy", "row 2, column 2 is nan"])
        self.write("h.npy", npy([[0, 0], [1, 1e200]]))
        self.write("i.npy", npy([[0, 0], [1, 1e30]], "f"))
        overflow = "row 2, column 2 is 1e+200: squares of that overflow: scale the points"
        self.assert_refused([*task, "h.npy", *out], ["h.npy", overflow])
        self.assertFalse(self.run_command(*task, "h.npy", *out).stderr.endswith("double precision\n"))
        self.assert_refused([*task, "i.npy", *out], ["i.npy", "or give them in double precision"])
        self.assert_refused([*task, "p.npy", "n.npy", *out], ["n.npy: row 2, column 2 is nan"])
        self.assert_refused([*task, "z.npy", *out], ["z.npy", "0 coordinates"])
        self.assert_refused([*task, "r.csv", *out], ["r.csv:3", "1 field where line 1 has 2"])
        self.assert_refused([*task, "w.csv", *out], ["w.csv:2", "field 2, 'four'"])
        self.assert_refused([*task, "e.csv", *out], ["e.csv", "no points"])
        self.assert_refused([*task, "gone.csv", *out], ["gone.csv"])

    def test_a_result_larger_than_the_disk(self):
        with open(self.path("large.npy"), "wb") as file:
            file.write(npy([[0]] * 3)[:10])
            text = "{'descr': '<f4', 'fortran_order': False, 'shape': (16000000, 1), }\n"
            file.seek(8)
            file.write(struct.pack("<H", len(text)) + text.encode())
            file.truncate(file.tell() + 64000000)
        free = os.statvfs(self.folder)
        if free.f_bavail * free.f_frsize > 4 * 16000000 * 15999999 // 2:
            self.skipTest("the disk holds 500 TB")
        self.assert_refused(["pairs", "distance", "large.npy", "-o", "d.npy", *QUICK],
                            ["d.npy", "the disk has"])


class Neighbors(CommandTest):
    def neighbors(self, *arguments, device="cpu"):
        result = self.run_command("pairs", "neighbors", *arguments, "-o", "n.npz", "--device",
                                  device, "--threads", "1", "--quiet")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        found = {}
        with zipfile.ZipFile(self.path("n.npz")) as archive:
            self.assertIsNone(archive.testzip())
            for name in archive.namelist():
                self.write("member", archive.read(name))
                found[name] = load(self.path("member"))
        names = ["indptr.npy", "indices.npy", "distances.npy"]
        if "--indices-only" in arguments:
            self.assertEqual(list(found), names[:2])
            found["distances.npy"] = found["indices.npy"]
        self.assertEqual(list(found), names)
        indptr, indices, distances = (found[name][2] for name in names)
        return [dict(zip(indices[a:b], distances[a:b])) for a, b in zip(indptr, indptr[1:])]

    def test_open_and_periodic(self):
        generator = random.Random(4)
        points = [[generator.random() * 6 for _ in range(3)] for _ in range(120)]
        self.write("p.npy", npy(points))
        for device in ("cpu", "sim"):
            for period, box in ((0, []), (6, ["--box", "6,6,6"])):
                rows = self.neighbors("p.npy", "--cutoff", "1.5", *box, device=device)
                half = self.neighbors("p.npy", "--cutoff", "1.5", "--half", *box, device=device)
                for i, p in enumerate(points):
                    expected = {}
                    for j, q in enumerate(points):
                        apart = [abs(a - b) for a, b in zip(p, q)]
                        if period:
                            apart = [min(x, period - x) for x in apart]
                        if j != i and math.hypot(*apart) < 1.5:
                            expected[j] = math.hypot(*apart)
                    self.assertEqual(set(rows[i]), set(expected))
                    self.assertEqual(set(half[i]), {j for j in expected if j > i})
                    for j, distance in expected.items():
                        self.assertAlmostEqual(rows[i][j], distance, places=12)

    def test_sorted_direct_and_radii(self):
        self.write("p.csv", "0\n1\n2\n4\n")
        rows = self.neighbors("p.csv", "--cutoff", "2.5", "--sorted")
        self.assertEqual([list(row.items()) for row in rows],
                         [[(1, 1.0), (2, 2.0)], [(0, 1.0), (2, 1.0)],
                          [(0, 2.0), (1, 1.0), (3, 2.0)], [(2, 2.0)]])
        self.assertEqual(self.neighbors("p.csv", "--cutoff", "2.5", "--direct"), rows)
        self.assertEqual([list(row) for row in self.neighbors("p.csv", "--cutoff", "2.5",
                                                              "--indices-only", "--sorted")],
                         [list(row) for row in rows])
        self.write("r.csv", "0.5\n0.5\n0.6\n9\n")
        self.assertEqual(self.neighbors("p.csv", "--radii", "r.csv", "--half"),
                         [{3: 4.0}, {2: 1.0, 3: 3.0}, {3: 2.0}, {}])

    def test_none(self):
        self.write("p.npy", npy([]))
        self.assertEqual(self.neighbors("p.npy", "--cutoff", "1"), [])

    def test_refusals(self):
        self.write("p.csv", "0,0,0\n1,1,1\n")
        self.write("w.npy", npy([[0, 0, 0, 0]]))
        self.write("r.csv", "1\n2\n3\n")
        task = ["pairs", "neighbors"]
        out = ["-o", "n.npz", "--device", "cpu"]
        self.assert_refused(task, ["a file of points is missing"])
        self.assert_refused([*task, "p.csv", *out], ["--cutoff R is missing"])
        self.assert_refused([*task, "p.csv", "--cutoff", "1"], ["-o N.npz is missing"])
        self.assert_refused([*task, "p.csv", "--cutoff", "1", "-o", "n.npy"], [".npz"])
        self.assert_refused([*task, "p.csv", "p.csv", "--cutoff", "1", *out], ["too many"])
        self.assert_refused([*task, "p.csv", "--cutoff", "-1", *out], ["above 0"])
        self.assert_refused([*task, "p.csv", "--cutoff", "1", "--box", "1,2", *out], ["three lengths"])
        self.assert_refused([*task, "p.csv", "--cutoff", "1", "--box", "1,2,3,4,5,6,7", *out],
                            ["three lengths"])
        self.assert_refused([*task, "p.csv", "--cutoff", "3", "--box", "9,5,9", *out],
                            ["more than half", "along y, 5"])
        self.assert_refused([*task, "w.npy", "--cutoff", "1", *out], ["1 to 3 coordinates"])
        self.assert_refused([*task, "p.csv", "--radii", "r.csv", *out], ["r.csv", "2 radii"])
        self.assert_refused([*task, "p.csv", "--radii", "r.csv", "--cutoff", "1", *out],
                            ["leave one of them out"])


class Energies(CommandTest):
    def energy(self, *arguments, device="cpu"):
        result = self.run_command("pairs", "energy", *arguments, "-o", "f.npy", "--json", "e.json",
                                  "--device", device, "--threads", "1", "--quiet")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        with open(self.path("e.json"), encoding="utf-8") as file:
            found = json.load(file)["results"]
        return found, load(self.path("f.npy"))[2]

    def assert_sum(self, points, arguments, value, derivative, cutoff=math.inf, box=math.inf):
        """V and dV/dr of a pair, numbered i and j, against a plain sum."""
        energy, forces = 0, [0] * 3 * len(points)
        for i, p in enumerate(points):
            for j, q in enumerate(points[:i]):
                apart = [a - b for a, b in zip(p, q)]
                if box < math.inf:
                    apart = [x - box * round(x / box) for x in apart]
                distance = math.hypot(*apart)
                if distance < cutoff:
                    energy += value(distance, i, j)
                    for axis, x in enumerate(apart):
                        force = -derivative(distance, i, j) * x / distance
                        forces[3 * i + axis] += force
                        forces[3 * j + axis] -= force
        for device in ("cpu", "sim"):
            found, values = self.energy("p.npy", *arguments, device=device)
            self.assertAlmostEqual(found["energy"], energy, delta=1e-7)
            for force, right in zip(values, forces):
                self.assertAlmostEqual(force, right, delta=1e-8 * (1 + abs(right)))

    def test_sums(self):
        generator = random.Random(6)
        points = [[x + generator.random() / 4, y + generator.random() / 4, z + generator.random() / 4]
                  for x in range(4) for y in range(4) for z in range(4)]
        charges = [generator.choice((-1, 1)) * (1 + generator.random()) for _ in points]
        self.write("p.npy", npy(points))
        self.write("q.csv", "\n".join(map(repr, charges)))
        self.write("x.csv", "0,1\n7,5\n")
        out = {(1, 0), (7, 5)}

        def jones(r, *_):
            return 8 * ((0.9 / r) ** 12 - (0.9 / r) ** 6)

        def slope(r, *_):
            return 8 * (6 * (0.9 / r) ** 6 - 12 * (0.9 / r) ** 12) / r

        model = ["--epsilon", "2", "--sigma", "0.9"]
        self.assert_sum(points, model, jones, slope)
        self.assert_sum(points, [*model, "--exclude", "x.csv"],
                        lambda r, i, j: 0 if (i, j) in out else jones(r),
                        lambda r, i, j: 0 if (i, j) in out else slope(r))
        self.assert_sum(points, [*model, "--cutoff", "1.9", "--shift", "force", "--box", "4,4,4"],
                        lambda r, *_: jones(r) - jones(1.9) - (r - 1.9) * slope(1.9),
                        lambda r, *_: slope(r) - slope(1.9), 1.9, 4)
        self.assert_sum(points, ["--potential", "coulomb", "--coupling", "3", "--charges", "q.csv"],
                        lambda r, i, j: 3 * charges[i] * charges[j] / r,
                        lambda r, i, j: -3 * charges[i] * charges[j] / r ** 2)

    def test_refusals(self):
        self.write("p.csv", "0,0,0\n1,1,1\n")
        self.write("same.csv", "0,0,0\n0,0,0\n")
        self.write("w.csv", "0,0\n1,1\n")
        self.write("q.csv", "1\n2\n3\n")
        self.write("x.csv", "0,2\n")
        self.write("y.csv", "0,0.5\n")
        task = ["pairs", "energy"]
        self.assert_refused(task, ["a file of points is missing"])
        self.assert_refused([*task, "p.csv", "--potential", "morse"], ["lennard-jones, coulomb or"])
        self.assert_refused([*task, "p.csv", "--shift", "force"], ["--cutoff R is missing"])
        self.assert_refused([*task, "p.csv", "--sigma", "0"], ["--sigma", "above 0"])
        self.assert_refused([*task, "p.csv", "--charges", "q.csv"], ["--potential coulomb"])
        self.assert_refused([*task, "p.csv", "-o", "f.csv"], [".npy"])
        cpu = ["--device", "cpu"]
        self.assert_refused([*task, "w.csv", *cpu], ["2 coordinates", "three"])
        self.assert_refused([*task, "p.csv", "--potential", "coulomb", "--charges", "q.csv", *cpu],
                            ["q.csv", "2 charges"])
        self.assert_refused([*task, "p.csv", "--exclude", "x.csv", *cpu], ["exclusion 1 is (0, 2)"])
        self.assert_refused([*task, "p.csv", "--exclude", "y.csv", *cpu], ["y.csv", "row 1 has 0.5"])
        self.assert_refused([*task, "same.csv", *cpu], ["so close"])


class Nearest(CommandTest):
    def test_points(self):
        generator = random.Random(7)
        points = [[generator.random() for _ in range(4)] for _ in range(40)]
        self.write("p.npy", npy(points))
        for device in ("cpu", "sim"):
            result = self.run_command("pairs", "knn", "p.npy", "--k", "3", "-o", "k.npz", "--device",
                                      device, "--quiet")
            self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
            with zipfile.ZipFile(self.path("k.npz")) as archive:
                archive.extractall(self.path("k"))
            indices = load(self.path("k/indices.npy"))[2]
            distances = load(self.path("k/distances.npy"))[2]
            for i, p in enumerate(points):
                others = sorted((math.dist(p, q), j) for j, q in enumerate(points) if j != i)[:3]
                self.assertEqual(list(indices[3 * i:3 * i + 3]), [j for _, j in others])
                for value, (right, _) in zip(distances[3 * i:], others):
                    self.assertAlmostEqual(value, right, places=14)

    def test_refusals(self):
        self.write("p.csv", "0,0,0\n1,1,1\n")
        task = ["pairs", "knn"]
        self.assert_refused(task, ["a file of points is missing"])
        self.assert_refused([*task, "p.csv"], ["-o K.npz is missing"])
        self.assert_refused([*task, "p.csv", "-o", "k.npy"], [".npz"])
        self.assert_refused([*task, "p.csv", "-o", "k.npz", "--k", "97"], ["1 to 96"])


class Triplets(CommandTest):
    def test_triangle_and_refusals(self):
        self.write("p.csv", "0,0,0\n3,0,0\n0,4,0\n")
        expected = 2 / 60 ** 3  # a right angle: cosines 0
        for device in ("cpu", "sim"):
            for kind in ("tetrahedron", "cube"):
                result = self.run_command("pairs", "triplets", "p.csv", "--nu", "2", "--map", kind,
                                          "--device", device, "--json", "t.json", "--quiet")
                self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
                with open(self.path("t.json"), encoding="utf-8") as file:
                    found = json.load(file)["results"]
                self.assertAlmostEqual(found["energy"] / expected, 1, places=14)
                self.assertEqual(found["triples"], 1)
        self.write("w.csv", "0,0\n1,1\n")
        self.assert_refused(["pairs", "triplets"], ["a file of points is missing"])
        self.assert_refused(["pairs", "triplets", "p.csv", "--map", "line"], ["tetrahedron or cube"])
        self.assert_refused(["pairs", "triplets", "w.csv", "--device", "cpu"], ["points of three"])
        self.write("same.csv", "0,0,0\n0,0,0\n1,1,1\n")
        for devices in ("cpu", "cpu,cpu"):
            self.assert_refused(["pairs", "triplets", "same.csv", "--device", devices, "--quiet"],
                                ["same.csv", "so close", "apart"])


class Contacts(CommandTest):
    def atoms(self, path):
        """(residue, position) of the ATOM records that are no hydrogens."""
        with open(path, encoding="ascii") as file:
            return [((line[21], int(line[22:26]), line[17:20].strip()),
                     [float(line[a:a + 8]) for a in (30, 38, 46)])
                    for line in file if line.startswith("ATOM") and line[76:78].strip() != "H"]

    def test_interface(self):
        result = self.run_command("pairs", "contacts", RECEPTOR, LIGAND, "--cutoff", "60", "-o",
                                  "c.csv", "--device", "cpu", "--quiet")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        expected = {}
        others = self.atoms(LIGAND)
        for a, p in self.atoms(RECEPTOR):
            for b, q in others:
                distance = math.dist(p, q)
                if distance < 60:
                    count, least = expected.get((a, b), (0, math.inf))
                    expected[a, b] = (count + 1, min(least, distance))
        with open(self.path("c.csv"), encoding="ascii") as file:
            rows = [line.rstrip("\n").split(",") for line in file][1:]
        found = {((r[0], int(r[1]), r[2]), (r[3], int(r[4]), r[5])): (int(r[6]), float(r[7]))
                 for r in rows}
        self.assertEqual(found.keys(), expected.keys())
        for pair, (count, least) in expected.items():
            self.assertEqual(found[pair][0], count)
            self.assertAlmostEqual(found[pair][1], least, places=4)

    def test_map(self):
        for cutoff in ("5", "60"):  # none touches, and some
            result = self.run_command("pairs", "contacts", RECEPTOR, LIGAND, "--cutoff", cutoff, "--device", "cpu",
                                      "--figure", f"{cutoff}.svg", "--json", "-")
            if "no Cairo" in result.stderr:
                self.skipTest("built without Cairo")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(json.loads(result.stdout)["parameters"]["figure"], f"{cutoff}.svg")
        with open(self.path("5.svg"), encoding="utf-8") as none, open(self.path("60.svg"), encoding="utf-8") as some:
            self.assertNotEqual(none.read(), some.read())

    def test_refusals(self):
        self.assert_refused(["pairs", "contacts", RECEPTOR], ["two files"])
        self.assert_refused(["pairs", "contacts", RECEPTOR, RECEPTOR, "--cutoff", "0"], ["above 0"])
        self.assert_refused(["pairs", "contacts", RECEPTOR, "/nonexistent.pdb", "--device", "cpu"],
                            ["nonexistent.pdb"])


class Histograms(CommandTest):
    def test_table_and_figure(self):
        generator = random.Random(5)
        points = [[generator.random() * 6 for _ in range(3)] for _ in range(90)]
        self.write("p.npy", npy(points))
        counts, around = [0] * 12, [0] * 12
        for i, p in enumerate(points):
            for j, q in enumerate(points):
                apart = [abs(a - b) for a, b in zip(p, q)]
                for table, distance in ((counts, math.hypot(*apart)),
                                        (around, math.hypot(*(min(x, 6 - x) for x in apart)))):
                    if j != i and distance < 3:
                        table[int(distance * 4)] += 1
        for device in ("cpu", "sim"):
            for box, expected in (([], counts), (["--box", "6,6,6"], around)):
                result = self.run_command("pairs", "histogram", "p.npy", "--bins", "12", "--to", "3",
                                          "-o", "h.csv", "--device", device, "--quiet", *box)
                self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
                with open(self.path("h.csv"), encoding="ascii") as file:
                    lines = file.read().splitlines()
                self.assertEqual(lines[0], "from,to,count,g" if box else "from,to,count")
                table = [[float(word) for word in line.split(",")] for line in lines[1:]]
                self.assertEqual([row[2] for row in table], expected)
                self.assertEqual([row[1] for row in table], [(b + 1) / 4 for b in range(12)])
                for low, high, count, *g in table:
                    shell = 4 * math.pi / 3 * (high ** 3 - low ** 3)
                    for value in g:
                        self.assertAlmostEqual(value, count / (90 * 90 / 216 * shell), places=9)

    def test_refusals(self):
        self.write("p.csv", "0,0,0\n1,1,1\n")
        task = ["pairs", "histogram"]
        out = ["-o", "h.csv", "--device", "cpu"]
        self.assert_refused(task, ["a file of points is missing"])
        self.assert_refused([*task, "p.csv", *out], ["--to R is missing"])
        self.assert_refused([*task, "p.csv", "--to", "1"], ["-o H.csv is missing"])
        self.assert_refused([*task, "p.csv", "--to", "1", "-o", "h.npy"], ["h.npy", "text", ".csv"])
        self.assert_refused([*task, "p.csv", "--to", "0", *out], ["above 0"])
        self.assert_refused([*task, "p.csv", "--to", "1", "--bins", "0", *out], ["--bins"])
        self.assert_refused([*task, "p.csv", "--to", "1", "--finite", *out], ["--box"])
        self.assert_refused([*task, "p.csv", "--to", "3", "--box", "5,5,5", *out], ["more than half"])
        self.assert_refused([*task, "p.csv", "p.csv", "--to", "3", *out], ["too many"])


if __name__ == "__main__":
    unittest.main()
