"""`tesela solve`: solutions against elimination, what is said of matrices, and what is refused."""

import gzip
import io
import json
import math
import os
import signal
import struct
import subprocess
import sys
import unittest
import zipfile

sys.dont_write_bytecode = True  # leave the source tree as it is
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from command import TESELA, CommandTest

QUICK = ["--threads", "1", "--quiet"]
BANNER = "%%MatrixMarket matrix coordinate real "


def laplacian(n):
    """The 5-point stencil on n x n cells: {(i, j): value}, from 0."""
    entries = {}
    for k in range(n * n):
        entries[k, k] = 4.0
        if k % n:
            entries[k, k - 1] = entries[k - 1, k] = -1.0
        if k >= n:
            entries[k, k - n] = entries[k - n, k] = -1.0
    return entries


def wind(n):
    """The same with a wind in it: not symmetric."""
    return {(i, j): value + (0.4 if j > i else -0.4 if j < i else 0.0)
            for (i, j), value in laplacian(n).items()}


def mtx(entries, rows, symmetry="general", columns=None):
    """The text of a file; of a symmetric one the lower triangle, columns in turn."""
    kept = sorted((j, i, value) for (i, j), value in entries.items()
                  if symmetry == "general" or i >= j)
    lines = "".join(f"{i + 1} {j + 1} {value!r}\n" for j, i, value in kept)
    return f"{BANNER}{symmetry}\n% made up\n{rows} {columns or rows} {len(kept)}\n{lines}"


def vector(values):
    return (f"%%MatrixMarket matrix array real general\n{len(values)} 1\n"
            + "".join(f"{value!r}\n" for value in values))


def npy(values, descr, shape):
    text = f"{{'descr': {descr!r}, 'fortran_order': False, 'shape': {shape}, }}\n"
    code = {"<f8": "<d", "<i4": "<i", "<i8": "<q", "|S3": "3s"}[descr]
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()
            + b"".join(struct.pack(code, value) for value in values))


def npz(entries, rows, compressed):
    """As scipy.sparse.save_npz() writes it."""
    places = sorted(entries)
    starts = [sum(i < row for i, _ in places) for row in range(rows + 1)]
    data = io.BytesIO()
    kind = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    with zipfile.ZipFile(data, "w", kind) as archive:
        for name, array in (("indices", npy([j for _, j in places], "<i4", f"({len(places)},)")),
                            ("indptr", npy(starts, "<i4", f"({rows + 1},)")),
                            ("format", npy([b"csr"], "|S3", "()")),
                            ("shape", npy([rows, rows], "<i8", "(2,)")),
                            ("data", npy([entries[p] for p in places], "<f8",
                                         f"({len(places)},)"))):
            with archive.open(name + ".npy", "w", force_zip64=True) as member:
                member.write(array)
    return data.getvalue()


def eliminate(entries, rows, b):
    """Gauss's elimination with pivots."""
    a = [[entries.get((i, j), 0.0) for j in range(rows)] + [b[i]] for i in range(rows)]
    for k in range(rows):
        best = max(range(k, rows), key=lambda i: abs(a[i][k]))
        a[k], a[best] = a[best], a[k]
        for i in range(k + 1, rows):
            factor = a[i][k] / a[k][k]
            if factor:
                a[i] = [x - factor * y for x, y in zip(a[i], a[k])]
    x = [0.0] * rows
    for k in reversed(range(rows)):
        x[k] = (a[k][rows] - sum(a[k][j] * x[j] for j in range(k + 1, rows))) / a[k][k]
    return x


def residual(entries, x, b):
    """|b - A x| / |b|."""
    r = list(b)
    for (i, j), value in entries.items():
        r[i] -= value * x[j]
    return math.hypot(*r) / math.hypot(*b)


class SolveTest(CommandTest):
    def has(self, library):
        """Was the command built with an optional library?"""
        report = json.loads(self.run_command("info", "--json", "-").stdout)
        return any(found["name"].lower() == library and found["version"] is not None
                   for found in report["results"]["libraries"])

    def solve(self, *arguments, status=0):
        """Solve in silence; returns the report."""
        result = self.run_command("solve", *arguments, *QUICK, "--json", "run.json")
        self.assertEqual((result.returncode, result.stdout), (status, ""), result.stderr)
        with open(self.path("run.json"), encoding="utf-8") as file:
            return json.load(file)

    def read_vector(self, name):
        with open(self.path(name), encoding="ascii") as file:
            lines = file.read().splitlines()
        self.assertEqual(lines[0], "%%MatrixMarket matrix array real general")
        self.assertEqual(lines[1], f"{len(lines) - 2} 1")
        return [float(line) for line in lines[2:]]

    def assert_near(self, found, wanted, bound):
        self.assertEqual(len(found), len(wanted))
        self.assertLess(max(abs(a - b) for a, b in zip(found, wanted)),
                        bound * max(map(abs, wanted)))


class Solutions(SolveTest):
    N = 7
    ROWS = N * N

    def setUp(self):
        super().setUp()
        self.b = [math.sin(1 + k) for k in range(self.ROWS)]
        self.write("b.mtx", vector(self.b))

    def check(self, name, entries, *arguments):
        report = self.solve(name, "--rhs", "b.mtx", "-o", "x.mtx", "--tolerance", "1e-11",
                            *arguments)
        x = self.read_vector("x.mtx")
        self.assert_near(x, eliminate(entries, self.ROWS, self.b), 1e-9)
        results = report["results"]
        self.assertTrue(report["verified"])
        self.assertEqual(results["stop"], "converged")
        self.assertLessEqual(results["true_residual"], 1e-11)
        # elimination's own rounding and the sums' order are all that may differ
        self.assertAlmostEqual(results["true_residual"], residual(entries, x, self.b), delta=1e-14)
        history = results["history"]
        self.assertEqual((history[0]["iteration"], history[-1]["iteration"]),
                         (0, results["iterations"]))
        return report

    def test_files(self):
        symmetric, general = laplacian(self.N), wind(self.N)
        files = {"s.mtx": (symmetric, mtx(symmetric, self.ROWS, "symmetric").encode()),
                 "g.mtx": (general, mtx(general, self.ROWS).encode()),
                 "g.npz": (general, npz(general, self.ROWS, self.has("zlib")))}
        if self.has("zlib"):
            files["g.gz"] = general, gzip.compress(files["g.mtx"][1])
        for name, (entries, content) in files.items():
            self.write(name, content)
            report = self.check(name, entries)
            self.assertEqual(report["parameters"]["method"], "cg" if name[0] == "s" else "bicgstab")
            matrix = report["results"]["matrix"]
            self.assertEqual((matrix["rows"], matrix["nonzeros"], matrix["symmetric"]),
                             (self.ROWS, len(entries), name[0] == "s"))

    def test_methods_and_preconditioners(self):
        symmetric, general = laplacian(self.N), wind(self.N)
        self.write("s.mtx", mtx(symmetric, self.ROWS, "symmetric"))
        self.write("g.mtx", mtx(general, self.ROWS))
        for method in ("cg", "cg-single", "cg-pipelined", "bicgstab", "gmres"):
            for preconditioner in ("none", "jacobi", "block-jacobi", "ic0", "ilu0", "chebyshev",
                                   "multigrid"):
                if preconditioner == "ilu0" and method.startswith("cg"):
                    continue  # its factors are not symmetric
                arguments = ["--method", method, "--preconditioner", preconditioner,
                             "--coarse-rows", "10"]
                with self.subTest(method=method, preconditioner=preconditioner):
                    self.check("s.mtx", symmetric, *arguments)
                if not method.startswith("cg") and \
                        preconditioner in ("none", "jacobi", "block-jacobi", "ilu0"):
                    with self.subTest(method=method, preconditioner=preconditioner, wind=True):
                        self.check("g.mtx", general, *arguments)

    def test_devices(self):
        entries = laplacian(self.N)
        self.write("s.mtx", mtx(entries, self.ROWS, "symmetric"))
        for device in ("sim", "sim:reversed", "sim,sim", "cpu,cpu,cpu"):
            report = self.check("s.mtx", entries, "--device", device, "--preconditioner",
                                "multigrid", "--coarse-rows", "10")
            self.assertEqual(report["device"], device)
            self.assertEqual(report["ranks"], device.count(",") + 1)
            self.assertEqual(report["results"]["matrix"]["format"], "sliced-ell")
        self.assert_refused(["solve", "s.mtx", "--device", "cpu,sim", *QUICK],
                            ["'cpu'", "'sim'", "one kind"], 2)
        self.assert_refused(["solve", "s.mtx", "-o", "x.foo"],
                            ["-o x.foo", "ends in .mtx or .npy"], 2)
        self.assert_refused(["solve", "none.mtx", "--device", "sim,sim", *QUICK],
                            ["none.mtx: cannot open"], 2)

    def test_products_are_set_beside_a_copy(self):
        n = 100000
        lines = "".join(f"{i} {i} 3\n{i + 1} {i} -1\n" for i in range(1, n))
        self.write("big.mtx", f"{BANNER}symmetric\n{n} {n} {2 * n - 1}\n{lines}{n} {n} 3\n")
        for device in ("cpu", "sim", "cpu,cpu"):
            run = self.run_command("solve", "big.mtx", "--device", device, "--tolerance", "0.1",
                                   "--json", "run.json")
            self.assertIn(" GB/s, rank 0's rows by themselves, " if "," in device
                          else " GB/s by themselves, ", run.stdout)
            results = self.read_json("run.json")["results"]
            product, copy = results["spmv_gb_per_second"], results["copy_gb_per_second"]
            self.assertGreater(min(product, copy), 0)
            self.assertAlmostEqual(results["spmv_share_of_copy"], product / copy)
        self.write("small.mtx", mtx(laplacian(self.N), self.ROWS, "symmetric"))
        self.assertIsNone(self.solve("small.mtx")["results"]["spmv_gb_per_second"])

    def test_duplicates_are_summed(self):
        text = BANNER + "general\n2 2 4\n1 1 1\n2 2 4\n1 1 1\n1 2 0\n"
        self.write("a.mtx", text)
        report = self.solve("a.mtx", "-o", "x.mtx")
        self.assert_near(self.read_vector("x.mtx"), [0.5, 0.25], 1e-7)
        self.assertEqual(report["results"]["file"]["duplicates"], 1)

    def test_guess_and_vectors(self):
        entries = laplacian(self.N)
        self.write("s.mtx", mtx(entries, self.ROWS, "symmetric"))
        self.write("b.npy", npy(self.b, "<f8", f"({self.ROWS},)"))
        first = self.solve("s.mtx", "--rhs", "b.npy", "-o", "x.npy")
        again = self.solve("s.mtx", "--rhs", "b.mtx", "--guess", "x.npy", "-o", "y.mtx")
        self.assertGreater(first["results"]["iterations"], 3)
        self.assertEqual(again["results"]["iterations"], 0)
        with open(self.path("x.npy"), "rb") as file:
            data = file.read()
        x = [value for value, in struct.iter_unpack("<d", data[-8 * self.ROWS:])]
        self.assertEqual(self.read_vector("y.mtx"), x)  # 17 digits are enough

    def test_ones_without_a_right_hand_side(self):
        self.write("s.mtx", mtx(laplacian(self.N), self.ROWS, "symmetric"))
        report = self.solve("s.mtx", "-o", "x.mtx")
        self.assertAlmostEqual(report["results"]["rhs_norm"], math.sqrt(self.ROWS), 12)
        self.assertLess(residual(laplacian(self.N), self.read_vector("x.mtx"), [1.0] * self.ROWS),
                        1e-8)

    def test_threads_do_not_matter(self):
        self.write("s.mtx", mtx(laplacian(40), 1600, "symmetric"))
        found = []
        for threads in ("1", "2", "3"):
            result = self.run_command("solve", "s.mtx", "-o", "x.mtx", "--quiet", "--threads",
                                      threads, "--deterministic")
            self.assertEqual(result.returncode, 0, result.stderr)
            with open(self.path("x.mtx"), "rb") as file:
                found.append(file.read())
        self.assertEqual(found[1:], found[:1] * 2)


class Outcomes(SolveTest):
    def setUp(self):
        super().setUp()
        self.write("s.mtx", mtx(laplacian(20), 400, "symmetric"))

    def test_not_converged(self):
        report = self.solve("s.mtx", "--max-iterations", "3", "-o", "x.mtx", status=1)
        results = report["results"]
        self.assertFalse(report["verified"])
        self.assertEqual((results["stop"], results["iterations"]), ("iterations", 3))
        self.assertEqual([entry["iteration"] for entry in results["history"]], [0, 1, 2, 3])
        self.assertEqual(results["cases"][0]["ok"], False)
        # the last iterate is written, and its residual is the one reported
        self.assertAlmostEqual(residual(laplacian(20), self.read_vector("x.mtx"), [1.0] * 400),
                               results["true_residual"], delta=1e-12)
        result = self.run_command("solve", "s.mtx", *QUICK, "--max-iterations", "3")
        self.assertEqual(result.stderr.count("\n"), 1)
        self.assertIn("s.mtx: cg did not converge", result.stderr)

    def test_indefinite(self):
        self.write("a.mtx", BANNER + "symmetric\n3 3 6\n1 1 1\n2 1 -0.9\n3 1 -0.9\n2 2 1\n"
                                     "3 2 -0.9\n3 3 1\n")
        self.write("b.mtx", vector([1.0, 1.0, 1.5]))
        report = self.solve("a.mtx", "--rhs", "b.mtx", "--method", "cg", status=1)
        results = report["results"]
        self.assertEqual((results["stop"], results["matrix"]["definiteness"]),
                         ("indefinite", "indefinite"))
        self.assertLess(results["curvature"], 0)
        self.assertIsNone(results["matrix"]["indefinite_row"])

    def test_an_entry_too_large_for_the_diagonal(self):
        self.write("a.mtx", BANNER + "symmetric\n3 3 4\n1 1 1\n2 1 2\n2 2 1\n3 3 1\n")
        for arguments in (("--method", "cg"), ("-p", "multigrid"), ("-p", "ic0")):
            result = self.run_command("solve", "a.mtx", *QUICK, *arguments)
            self.assertEqual((result.returncode, result.stderr.count("\n")), (2, 1), result.stderr)
            self.assertIn("a(1, 2) is 2, its square more than 1 times 1, a(1, 1) and a(2, 2): ",
                          result.stderr)
        report = self.solve("a.mtx", "-o", "x.mtx")  # by a method that needs no definite matrix
        matrix = report["results"]["matrix"]
        self.assertEqual(report["parameters"]["method"], "bicgstab")
        self.assertEqual((matrix["definiteness"], matrix["indefinite_row"],
                          matrix["indefinite_column"]), ("indefinite", 1, 2))
        self.assertEqual([round(x, 6) for x in self.read_vector("x.mtx")],
                         [0.333333, 0.333333, 1])
        result = self.run_command("solve", "a.mtx", "--device", "cpu")
        self.assertIn("definiteness    indefinite, since an entry is too large for the diagonal: "
                      "a(1, 2)\n", result.stdout)

    def test_stagnating_gmres(self):
        # a shift leaves the residual alone until it has gone all round
        rows = 40
        self.write("shift.mtx", mtx({((i + 1) % rows, i): 1.0 for i in range(rows)}, rows))
        self.write("e.mtx", vector([1.0] + [0.0] * (rows - 1)))
        gmres = ["--method", "gmres", "--preconditioner", "none", "--quiet"]
        for device in ("cpu", "cpu,cpu,cpu,cpu"):  # of which each has fewer rows than directions
            for restart, status in ((4, 1), (20, 1), (40, 0)):
                result = self.run_command("solve", "shift.mtx", "--rhs", "e.mtx", *gmres,
                                          "--restart", str(restart), "--device", device)
                self.assertEqual(result.returncode, status, result.stderr)
                self.assertEqual("larger restart (--restart)" in result.stderr, status == 1)
        skew = {(i, i + 1): 1.0 for i in range(4)}
        skew.update({(i + 1, i): -1.0 for i in range(4)})  # of odd order
        self.write("skew.mtx", mtx(skew, 5))
        self.write("ones.mtx", vector([1.0] * 5))
        result = self.run_command("solve", "skew.mtx", "--rhs", "ones.mtx", *gmres, "--device", "cpu")
        self.assertEqual(result.returncode, 1)
        self.assertNotIn("--restart", result.stderr)

    def test_singular(self):
        # a ring: constants are its null space
        ring = {(i, i): 2.0 for i in range(6)}
        ring.update({(i, (i + s) % 6): -1.0 for i in range(6) for s in (1, 5)})
        self.write("a.mtx", mtx(ring, 6))
        self.write("good.mtx", vector([1.0, -2.0, 3.0, -4.0, 0.5, 1.5]))
        self.solve("a.mtx", "--rhs", "good.mtx", "-o", "x.mtx")
        self.assertLess(residual(ring, self.read_vector("x.mtx"), [1, -2, 3, -4, 0.5, 1.5]), 1e-8)
        report = self.solve("a.mtx", status=1)  # ones lie outside its range
        self.assertNotEqual(report["results"]["stop"], "converged")
        self.assertAlmostEqual(report["results"]["true_residual"], 1, 6)

    def test_summary(self):
        result = self.run_command("solve", "s.mtx", "--device", "cpu", "--threads", "1", "-o", "x.mtx")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        for words in ("s.mtx: Matrix Market coordinate, real, symmetric, 1160 entries",
                      "400 rows, 1920 entries; in a row 3 to 5", "symmetry        symmetric\n",
                      "above 0 in all rows; dominates in 400 of 400 rows",
                      "positive definite or semidefinite", "method          cg, preconditioner jac",
                      " iteration       residual       rate", "outcome         converged: ",
                      "recomputed", "parse  ", "set-up  ", "solve  ", " GB/s", "x.mtx"):
            self.assertIn(words, result.stdout)
        rows = [line.split() for line in result.stdout.split("-" * 37)[1].strip().splitlines()]
        self.assertEqual((rows[0][:2], len(rows[0])), (["0", "1.000000e+00"], 2))
        self.assertTrue(all(len(row) == 3 for row in rows[1:]))
        self.assertTrue(10 < len(rows) < 34)

    def test_diagnosis(self):
        self.write("a.mtx", BANNER + "general\n3 3 4\n1 1 -2\n1 3 5\n3 3 1\n3 1 4\n")
        result = self.run_command("solve", "a.mtx", "--threads", "1", "--max-iterations", "9")
        for words in ("a(1, 3) is the first that differs from a(3, 1); pattern symmetric",
                      "empty rows      1, row 2 is the first: the matrix is singular",
                      "0 or missing in 1 rows, row 2 is the first; below 0 in 1 rows, row 1",
                      "method          gmres, preconditioner none"):
            self.assertIn(words, result.stdout)

    def test_figures(self):
        if not self.has("cairo"):
            self.skipTest("built without Cairo")
        for ending, magic in (("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")):
            self.solve("s.mtx", "--figure", f"r.{ending}")
            with open(self.path(f"r.{ending}"), "rb") as file:
                self.assertEqual(file.read(len(magic)), magic)

    def test_interrupt(self):
        self.write("long.mtx", mtx(laplacian(100), 10000, "symmetric"))
        arguments = [TESELA, "solve", "long.mtx", "--threads", "1", "--preconditioner", "none",
                     "--tolerance", "0", "--method", "gmres", "--restart", "2",
                     "--max-iterations", "2000000000", "-o", "x.mtx"]
        with subprocess.Popen(arguments, cwd=self.folder, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            line = ""
            while not line.startswith("method"):
                line = process.stdout.readline()
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + signal.SIGINT, errors)
        self.assertFalse(os.path.exists(self.path("x.mtx")))


class Refusals(CommandTest):
    def refuse(self, words, *arguments, content=None, status=2):
        if content is not None:
            self.write("a.mtx", content)
        self.assert_refused(["solve", *arguments, *QUICK], words, status)

    def test_matrices(self):
        self.refuse(["none.mtx: cannot open"], "none.mtx")
        for content, words in (
                ("", ["a.mtx: the file is empty"]),
                ("1 1 1\n", ["a.mtx:1: ", "%%MatrixMarket"]),
                (BANNER + "general\n2 3 1\n1 1 1\n", ["a.mtx", "2 rows and 3 columns", "square"]),
                (BANNER + "general\n0 0 0\n", ["a.mtx", "has no rows"]),
                (BANNER + "general\n2 2 2\n1 1 1\n2 2 nan\n", ["a.mtx:4: 'nan'", "finite"]),
                (BANNER + "general\n2 2 3\n1 1 1\n", ["a.mtx:2: says 3 entries, but 1 follow"]),
                (BANNER + "symmetric\n2 2 2\n2 1 1\n1 2 1\n", ["a.mtx:4: ", "one triangle"]),
                ("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 2\n",
                 ["a.mtx:3: entry (1, 1)", "imaginary", "real systems"]),
                (b"PK\x03\x04", ["a.mtx: damaged zip archive"]),
                (gzip.compress(b"%%MatrixMarket")[:-9], ["a.mtx: ", "gzip"])):
            self.refuse(words, "a.mtx", content=content)

    def test_methods(self):
        self.refuse(["a.mtx", "not symmetric", "a(1, 2)", "gmres"], "a.mtx", "--method", "cg",
                    content=BANNER + "general\n2 2 3\n1 1 1\n1 2 1\n2 2 1\n")
        self.refuse(["a.mtx", "row 2", "zero on the diagonal"], "a.mtx", "--method", "cg",
                    content=BANNER + "symmetric\n2 2 2\n1 1 1\n2 1 1\n")
        self.refuse(["a.mtx", "row 2", "zero"], "a.mtx", "--preconditioner", "jacobi")
        self.refuse(["a.mtx", "row 1", "negative"], "a.mtx", "--method", "cg-single",
                    content=BANNER + "symmetric\n2 2 2\n1 1 -1\n2 2 1\n")

    def test_vectors(self):
        self.write("a.mtx", BANNER + "general\n2 2 2\n1 1 1\n2 2 1\n")
        for content, words in ((vector([1.0]), ["b.mtx: has 1 rows where the matrix has 2"]),
                               (vector([1.0, math.inf]), ["b.mtx:4: 'inf'"])):
            self.write("b.mtx", content)
            for option in ("--rhs", "--guess"):
                self.refuse(words, "a.mtx", option, "b.mtx")
        self.write("b.mtx", mtx({(0, 1): 1.0}, 2))
        self.refuse(["b.mtx: has 2 columns where there are 1 right-hand sides"], "a.mtx",
                    "--guess", "b.mtx")

    def test_options_of_others_are_noted(self):
        self.write("a.mtx", BANNER + "general\n1 1 1\n1 1 1\n")
        given = ["--restart", "7", "--block", "3", "--degree", "9", "--eigenvalue-ratio", "20",
                 "--smoother", "jacobi", "--strength", "0.5", "--coarse-rows", "3"]
        for how, used in ((["-m", "cg"], ()), (["-m", "gmres"], ("--restart",)),
                          (["-p", "chebyshev"], ("--degree", "--eigenvalue-ratio")),
                          (["-p", "block-jacobi"], ("--block",)),
                          (["-p", "multigrid"], ("--smoother", "--strength", "--coarse-rows"))):
            result = self.run_command("solve", "a.mtx", "--device", "cpu", *how, *given)
            self.assertEqual(result.returncode, 0, result.stderr)
            for option in given[::2]:
                self.assertEqual(option + " is not used" in result.stderr, option not in used)

    def test_options(self):
        self.write("a.mtx", BANNER + "general\n1 1 1\n1 1 1\n")
        self.refuse(["nothing to solve"])
        self.refuse(["one argument too many", "--rhs"], "a.mtx", "b.mtx")
        self.refuse(["--figure r.jpg", ".svg, .png or .pdf"], "a.mtx", "--figure", "r.jpg")
        self.refuse(["-o no/x.mtx"], "a.mtx", "-o", "no/x.mtx")
        for option, value, word in (("--method", "cgs", "did you mean cg?"),
                                    ("--preconditioner", "ilu", "did you mean ilu0?"),
                                    ("--smoother", "sor", "jacobi or chebyshev"),
                                    ("--tolerance", "-1", "0 to 0.999999"),
                                    ("--absolute", "x", "from 0"),
                                    ("--max-iterations", "-1", "0 to"),
                                    ("--restart", "0", "1 to 1000"),
                                    ("--block", "65", "1 to 64"),
                                    ("--degree", "none", "1 to 64"),
                                    ("--eigenvalue-ratio", "1", "above 1"),
                                    ("--strength", "2", "0 to 1"),
                                    ("--coarse-rows", "0", "1 to 4000")):
            self.refuse([option, word], "a.mtx", option, value)


if __name__ == "__main__":
    unittest.main()
