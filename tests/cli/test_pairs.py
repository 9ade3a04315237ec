"""`tesela pairs`: files against plain Python, and what it refuses."""

import ast
import math
import os
import random
import struct
import sys
import unittest

sys.dont_write_bytecode = True  # leave the source tree as it is
from command import RECEPTOR, CommandTest

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
    code = {"<f4": "f", "<f8": "d"}[header["descr"]]
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
