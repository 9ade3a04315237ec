"""`tesela pairs`: files against plain Python, and what it refuses."""

import ast
import gzip
import math
import os
import random
import struct
import subprocess
import sys
import unittest
import zipfile

sys.dont_write_bytecode = True  # leave the source tree as it is
from command import RECEPTOR, TESELA, CommandTest, has_library

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
        self.assert_refused([*task, "p.csv", "--to", "0", *out], ["above 0"])
        self.assert_refused([*task, "p.csv", "--to", "1", "--bins", "0", *out], ["--bins"])
        self.assert_refused([*task, "p.csv", "--to", "1", "--finite", *out], ["--box"])
        self.assert_refused([*task, "p.csv", "--to", "3", "--box", "5,5,5", *out], ["more than half"])
        self.assert_refused([*task, "p.csv", "p.csv", "--to", "3", *out], ["too many"])


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
            self.assertIn("single               4607", result.stdout)
            self.assertIn("reciprocal and 1e-4  2073", result.stdout)

    def test_refusals(self):
        self.assert_refused(["pairs", "maps", "--cells", "-1"], ["--cells"])
        self.assert_refused(["pairs", "maps", "--side", "16", "--rows", "5"], ["--rows"])
        self.assert_refused(["pairs", "maps", "--side", "64", "--rows", "32"], ["1024"])
        self.assert_refused(["pairs", "maps", "x"], ["takes no arguments"])
        self.assert_refused(["pairs", "maps", "--cells", "70000", "--device", "sim"],
                            ["out of memory", "counts of cells"], status=3)


if __name__ == "__main__":
    unittest.main()
