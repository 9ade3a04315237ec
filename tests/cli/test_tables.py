"""Tables of points as other programs write them, read by `tesela pairs`."""

import math
import sys
import unittest

sys.dont_write_bytecode = True  # leave the source tree as it is
from command import CommandTest
from test_pairs import load

POINTS = [(0.5, -1.25, 3.0), (4.0, 2.5, 1e-2), (-7.75, 6.0, 0.125)]
TASK = ["pairs", "distance"]
HOW = ["-o", "d.npy", "--device", "cpu", "--threads", "1"]


def table(separator=",", number=repr, names="", ending="\n", label=None):
    """POINTS as text; `label` makes the name of each row."""
    rows = [separator.join(([] if label is None else [label(i)]) + [number(x) for x in point])
            for i, point in enumerate(POINTS)]
    return "".join(row + ending for row in ([names] if names else []) + rows)


class Tables(CommandTest):
    def assert_read(self, text, *notes):
        """The table holds POINTS, and all that is said of it are the notes."""
        self.write("t.csv", text)
        result = self.run_command(*TASK, "t.csv", *HOW)
        self.assertEqual(result.returncode, 0, result.stderr)
        shape, _, values = load(self.path("d.npy"))
        self.assertEqual(shape, (3,))
        right = [math.dist(p, q) for i, p in enumerate(POINTS) for q in POINTS[i + 1:]]
        for value, expected in zip(values, right):
            self.assertLessEqual(abs(value - expected), 1e-14 * expected)
        said = [line for line in result.stderr.splitlines() if "t.csv" in line]
        self.assertEqual(len(said), len(notes), said)
        for line, note in zip(said, notes):
            self.assertIn(note, line)

    def test_quotes(self):
        quoted = '"{!r}"'.format
        self.assert_read(table(number=quoted, names='"x","y","z"'), "t.csv:1: passed over")
        self.assert_read(table(";", number=lambda x: quoted(x).replace(".", ",")), "decimal commas")
        self.assert_read(table(" ", number="'{!r}'".format))

    def test_decimal_commas(self):
        comma = lambda x: repr(x).replace(".", ",")
        self.assert_read(table(";", comma, "x;y;z", "\r\n"), "t.csv:1: passed over", "decimal commas")
        self.assert_read(table("; ", comma), "decimal commas")

    def test_exponents_of_fortran(self):
        self.assert_read(table(" ", lambda x: f"{x:.6E}".replace("E", "D")))

    def test_comments_behind_numbers(self):
        self.assert_read(table(ending=" # of a run\n"))

    def test_names_of_rows(self):
        left_out = "the first column has no name, and is left out as names of rows"
        for names in (",x,y,z", '"","x","y","z"', ",0,1,2"):
            self.assert_read(table(names=names, label=str), left_out)
        self.assert_read(table(names=",x,y,z", label="atom{}".format), left_out)
        self.write("t.csv", "0,1,2\n" + table())
        result = self.run_command(*TASK, "t.csv", *HOW)
        self.assertIn("warning: t.csv:1: counts from 0 up, as names of columns may", result.stderr)
        self.assertEqual(load(self.path("d.npy"))[0], (6,))

    def test_names_on_standard_input(self):
        self.write("points", table(names="x,y,z"))
        result = self.run_command(*TASK, "points", *HOW)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("3 points of 3 coordinates", result.stdout)

    def test_one_is_no_plural(self):
        self.write("t.csv", "1\n")
        for task, output in (("distance", "d.npy"), ("knn", "k.npz")):
            result = self.run_command("pairs", task, "t.csv", "-o", output, *HOW[2:])
            self.assertIn("1 point of 1 coordinate,", result.stdout)

    def test_refusals(self):
        for text, words in (
                ("1,2\n3,\n", ["t.csv:2: field 2 is empty", "separators at the end"]),
                ("x|y\n1|2\n", ["t.csv:2: holds no numbers", "commas, semicolons or blanks"]),
                ('"1,000",2\n', ["t.csv:1: field 1, '1,000', is no finite number", "leave such"]),
                ("1,2\n1e999,3\n", ["t.csv:2: field 1, '1e999', is beyond"]),
                ("1,2\n".encode("utf-16"), ["t.csv: is text in UTF-16: save it as UTF-8"]),
                (b"BZh91AY&SY\0\1\2", ["t.csv: is packed by bzip2: unpack it first"]),
                ("2\nhydrogen\nH 0 0 0\nH 0 0 0.74\n", ["t.csv: an XYZ file", "awk"])):
            with self.subTest(text=text):
                self.write("t.csv", text)
                self.assert_refused([*TASK, "t.csv", *HOW], words)


if __name__ == "__main__":
    unittest.main()
