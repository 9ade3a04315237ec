"""`tesela solve` on matrices that other packages bring: r-cran-matrix and libpetsc-dev-examples of
Debian and Ubuntu. They are read and checked here by other means; without them this is skipped."""

import glob
import json
import math
import os
import sys
import unittest

sys.dont_write_bytecode = True  # leave the source tree as it is
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from command import CommandTest

FOLDERS = ([os.environ["TESELA_MATRICES"]] if "TESELA_MATRICES" in os.environ else
           ["/usr/lib/R/library/Matrix/external", "/usr/lib/R/site-library/Matrix/external",
            *glob.glob("/usr/share/petsc/*/share/petsc/datafiles/matrices")])

# What each is for: the methods and preconditioners that solve it, or exit status and the line.
FACTORED = [("cg", m) for m in ("none", "jacobi", "block-jacobi", "ic0", "chebyshev", "multigrid")]
UNSYMMETRIC = [("gmres", "jacobi"), ("gmres", "block-jacobi"), ("gmres", "ilu0")]
SOLVABLE = {
    "lund_a.mtx": [*FACTORED, ("cg-single", "ic0"), ("cg-pipelined", "ic0"), ("gmres", "ilu0"),
                   ("bicgstab", "ilu0")],
    "LFAT5.mtx": [("cg", "none"), ("cg", "jacobi"), ("cg", "block-jacobi"), ("cg", "multigrid"),
                  ("gmres", "ilu0"), ("bicgstab", "ilu0")],
    "pores_1.mtx": [*UNSYMMETRIC, ("bicgstab", "ilu0")],
    "amesos2_test_mat0.mtx": [*UNSYMMETRIC, ("gmres", "none"), ("bicgstab", "jacobi")],
    "jgl009.mtx": [("gmres", "none")],
}
REFUSED = {
    "wrong.mtx": (2, "entry (0, 1) lies outside the 2 x 3 matrix"),
    "m_05_05_crk.mtx": (1, "b is not in a singular matrix's range"),  # skew, of odd order
    "lund_a.rsa": (2, "neither a Matrix Market file"),
    "utm300.rua": (2, "neither a Matrix Market file"),
    "tiny_system": (2, "neither a Matrix Market file"),
}
# asked for what they are not
UNSUITABLE = [("LFAT5.mtx", ("cg", "ic0"), "ic0 breaks down in row 14"),
              ("pores_1.mtx", ("cg", "jacobi"), "the matrix is not symmetric"),
              ("jgl009.mtx", ("gmres", "jacobi"), "has a zero on the diagonal")]


def find(name):
    """Where a file is; None: nowhere."""
    places = (os.path.join(folder, name) for folder in FOLDERS)
    return next((place for place in places if os.path.isfile(place)), None)


def read(path):
    """A Matrix Market file's rows and entries: [(i, j, value)], both triangles."""
    with open(path, encoding="latin-1") as file:
        header = file.readline().split()
        lines = [line.split() for line in file if line.strip() and not line.startswith("%")]
    rows = int(lines[0][0])
    if header[2] == "array":
        return rows, [(k % rows, k // rows, float(line[0])) for k, line in enumerate(lines[1:])]
    entries = []
    for line in lines[1:]:
        i, j = int(line[0]) - 1, int(line[1]) - 1
        value = float(line[2]) if header[3] != "pattern" else 1.0
        entries.append((i, j, value))
        if i != j and header[4] != "general":
            entries.append((j, i, -value if header[4] == "skew-symmetric" else value))
    return rows, entries


def residual(path, x):
    """||b - A x|| / ||b|| of b = 1, each row summed exactly."""
    rows, entries = read(path)
    terms = [[1.0] for _ in range(rows)]
    for i, j, value in entries:
        terms[i].append(-value * x[j])
    return math.sqrt(math.fsum(math.fsum(row) ** 2 for row in terms) / rows)


def rounding(path, x):
    """What rounding the products alone may add to that."""
    rows, entries = read(path)
    sizes = [0.0] * rows
    for i, j, value in entries:
        sizes[i] += abs(value * x[j])
    return 2.0 ** -50 * math.sqrt(math.fsum(size ** 2 for size in sizes) / rows)


class Matrices(CommandTest):
    def solve(self, path, method, preconditioner, *more):
        return self.run_command("solve", path, "--method", method, "--preconditioner",
                                preconditioner, "--restart", "200", "--threads", "1", "--quiet",
                                *more)

    def present(self, names):
        found = [(name, find(name)) for name in names]
        return [(name, path) for name, path in found if path]

    def test_systems_are_solved(self):
        for name, path in self.present(SOLVABLE):
            for method, preconditioner in SOLVABLE[name]:
                with self.subTest(matrix=name, method=method, preconditioner=preconditioner):
                    done = self.solve(path, method, preconditioner, "--output", "x.mtx",
                                      "--json", "run.json")
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    rows, entries = read(self.path("x.mtx"))
                    self.assertEqual([i for i, _, _ in entries], list(range(rows)))
                    x = [value for _, _, value in entries]
                    found = residual(path, x)
                    self.assertLessEqual(found, 1.01e-8 + rounding(path, x))
                    with open(self.path("run.json"), encoding="utf-8") as file:
                        told = json.dumps(json.load(file))
                    self.assertIn('"true_residual"', told)

    def test_what_cannot_be_solved_says_why(self):
        for name, path in self.present(REFUSED):
            with self.subTest(matrix=name):
                status, text = REFUSED[name]
                done = self.run_command("solve", path, "--quiet", "--threads", "1")
                self.assertEqual(done.returncode, status)
                self.assertEqual(done.stderr.count("\n"), 1)
                self.assertIn(name, done.stderr)
                self.assertIn(text, done.stderr)

    def test_unsuitable_methods_are_refused(self):
        for name, (method, preconditioner), text in UNSUITABLE:
            if find(name):
                with self.subTest(matrix=name):
                    done = self.solve(find(name), method, preconditioner)
                    self.assertEqual(done.returncode, 2)
                    self.assertEqual(done.stderr.count("\n"), 1)
                    self.assertIn(text, done.stderr)


if __name__ == "__main__":
    if not any(find(name) for name in [*SOLVABLE, *REFUSED]):
        print("skipped: neither r-cran-matrix nor libpetsc-dev-examples is installed")
        sys.exit(77)
    unittest.main()
