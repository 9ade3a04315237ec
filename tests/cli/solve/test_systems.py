# ctest: full with sanitizers
"""`tesela solve` with the systems that users bring: files of all kinds, several right-hand sides, and
methods that follow one another until one converges. Solutions are checked here by other means."""

import gzip
import math
import os
import struct
import subprocess
import sys
import threading
import unittest
import zipfile

sys.dont_write_bytecode = True  # leave the source tree as it is
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from command import SOURCE, TESELA, CommandTest
sys.path.insert(0, os.path.join(SOURCE, "bench", "linsolve"))
import solve_defaults as kinds
from test_solve import (BANNER, QUICK, SolveTest, eliminate, laplacian, mtx, npy, residual, vector,
                        wind)

MATRICES = os.path.join(SOURCE, "..", "shared", "data", "matrices")

# Of the matrices there that sparse LU with two refinements solves to 1e-8, one in 20 may fail.
SOLVED_BY_LU = 36


def read_gzipped(path):
    """A Matrix Market file: rows and {(i, j): value}, both triangles, duplicates summed."""
    with gzip.open(path, "rt", encoding="latin-1") as file:
        lines = file.read().splitlines()
    header = lines[0].lower().split()
    lines = [line.split() for line in lines[1:] if line.strip() and not line.startswith("%")]
    rows = int(lines[0][0])
    sign = -1 if header[4] == "skew-symmetric" else 1
    entries = {}
    if header[2] == "array":
        first = {"general": lambda j: 0, "skew-symmetric": lambda j: j + 1}.get(header[4],
                                                                               lambda j: j)
        places = [(i, j) for j in range(rows) for i in range(first(j), rows)]
        triples = [(i, j, float(line[0])) for (i, j), line in zip(places, lines[1:])]
    else:
        triples = [(int(line[0]) - 1, int(line[1]) - 1,
                    1.0 if header[3] == "pattern" else float(line[2])) for line in lines[1:]]
    for i, j, value in triples:
        entries[i, j] = entries.get((i, j), 0.0) + value
        if i != j and header[4] != "general":
            entries[j, i] = entries.get((j, i), 0.0) + sign * value
    return rows, entries


def exact_residual(rows, entries, x):
    """|b - A x| / |b| of b = 1, each row summed exactly."""
    terms = [[1.0] for _ in range(rows)]
    for (i, j), value in entries.items():
        terms[i].append(-value * x[j])
    return math.sqrt(math.fsum(math.fsum(row) ** 2 for row in terms) / rows)


def saddle(n):
    """[[L, B], [B^T, 0]]: a diagonal with zeros, of both signs."""
    entries = {(i, j): value for (i, j), value in laplacian(n).items()}
    rows = n * n
    for k in range(rows // 3):
        for i in (3 * k, 3 * k + 1):
            entries[i, rows + k] = entries[rows + k, i] = 1.0 + k % 3
    return entries, rows + rows // 3


class Streams(SolveTest):
    def setUp(self):
        super().setUp()
        self.entries = laplacian(5)
        self.text = mtx(self.entries, 25, "symmetric")

    def feed(self, data, *arguments):
        return subprocess.run([TESELA, "solve", *arguments, *QUICK, "-o", "x.mtx"],
                              cwd=self.folder, input=data, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False, timeout=60)

    def test_standard_input(self):
        packed = [gzip.compress(self.text.encode())] if self.has("zlib") else []
        for data in [self.text.encode(), *packed]:
            for name in ("-", "/dev/stdin"):
                result = self.feed(data, name)
                self.assertEqual(result.returncode, 0, result.stderr)
                x = self.read_vector("x.mtx")
                self.assertLess(residual(self.entries, x, [1.0] * 25), 1e-8)
        self.write("a.mtx", self.text)
        result = self.feed(vector([1.0] * 25).encode(), "a.mtx", "--rhs", "-")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assert_refused(["solve", "-", "--rhs", "-", *QUICK], ["given for two files"])
        result = self.feed(self.text.encode(), "-", "--device", "cpu,cpu")
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"-: is no regular file, which each of 2 ranks would read", result.stderr)

    def test_a_fifo(self):
        os.mkfifo(self.path("fifo.mtx"))

        def feed():
            with open(self.path("fifo.mtx"), "w", encoding="ascii") as file:
                file.write(self.text)
        feeder = threading.Thread(target=feed)
        feeder.start()
        result = self.run_command("solve", "fifo.mtx", *QUICK, "-o", "x.mtx")
        feeder.join()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertLess(residual(self.entries, self.read_vector("x.mtx"), [1.0] * 25), 1e-8)

    def test_streams_without_an_end(self):
        self.assert_refused(["solve", "/dev/zero", *QUICK], ["/dev/zero:1: neither a Matrix Market"])
        os.symlink("nowhere", self.path("link.mtx"))
        result = self.run_command("solve", "link.mtx", *QUICK)
        self.assertEqual((result.returncode, result.stderr.count("\n")), (2, 1))
        self.assertIn("link.mtx: is a link to 'nowhere', which is not there", result.stderr)

    def test_names_say_nothing(self):
        for name, data in (("a.npz", self.text.encode()), ("a.npy", self.text.encode()),
                           ("a.mtx", npy([self.entries.get((i, j), 0.0) for i in range(25)
                                          for j in range(25)], "<f8", "(25, 25)")),
                           ("a.mtx.gz", self.text.encode())):
            self.write(name, data)
            report = self.solve(name, "-o", "x.mtx")
            self.assertEqual(report["results"]["matrix"]["nonzeros"], len(self.entries), name)
            self.assertLess(residual(self.entries, self.read_vector("x.mtx"), [1.0] * 25), 1e-8)

    def test_archives_of_one_array(self):
        dense = npy([self.entries.get((i, j), 0.0) for i in range(25) for j in range(25)], "<f8", "(25, 25)")
        for name, member in (("a.npz", dense), ("b.npz", npy([float(i) for i in range(25)], "<f8", "(25,)"))):
            with zipfile.ZipFile(self.path(name), "w") as archive:
                archive.writestr("arr_0.npy", member)
        self.solve("a.npz", "--rhs", "b.npz", "-o", "x.mtx")
        self.assertLess(residual(self.entries, self.read_vector("x.mtx"), [float(i) for i in range(25)]), 1e-6)

    def test_numbers_that_vanish_are_told(self):
        self.write("a.mtx", BANNER + "general\n2 2 4\n1 1 1\n1 2 1e-999\n2 1 -2e-400\n2 2 1\n")
        result = self.run_command("solve", "a.mtx", "--threads", "1")
        self.assertEqual(result.returncode, 0)
        self.assertIn("a.mtx: 2 numbers are nearer to 0 than any double", result.stderr)
        self.assertEqual(self.solve("a.mtx")["results"]["file"]["underflows"], 2)
        self.write("a.mtx", BANNER + "general\n2 2 3\n1 1 1\n1 2 1e-999\n2 2 1\n")
        result = self.run_command("solve", "a.mtx", "--threads", "1")
        self.assertIn("a.mtx: 1 number is nearer to 0 than any double", result.stderr)

    def test_too_large_for_the_machine(self):
        # 16 GB of row pointers alone would do: rather a matrix that no machine holds
        text = (BANNER + "general\n2147483647 2147483647 2\n1 1 1\n2 2 1\n").encode()
        with open("/proc/meminfo", encoding="ascii") as file:
            free = int(next(line.split()[1] for line in file if line.startswith("MemAvailable")))
        if free * 1024 > 8 * 2147483647:
            self.skipTest("this machine has memory for 2^31 rows")
        self.write("a.mtx", text)
        self.assert_refused(["solve", "a.mtx", *QUICK], ["a.mtx:2: a matrix of 2147483647 rows"], 3)


class SeveralRightHandSides(SolveTest):
    ROWS = 36

    def setUp(self):
        super().setUp()
        self.columns = [[math.sin((1 + k) * (j + 1)) for k in range(self.ROWS)] for j in range(3)]
        by_rows = [self.columns[j][i] for i in range(self.ROWS) for j in range(3)]
        self.write("b.npy", npy(by_rows, "<f8", f"({self.ROWS}, 3)"))
        self.write("b.mtx", f"%%MatrixMarket matrix array real general\n{self.ROWS} 3\n"
                   + "".join(f"{value!r}\n" for column in self.columns for value in column))

    def read_columns(self, name):
        with open(self.path(name), encoding="ascii") as file:
            lines = file.read().splitlines()
        self.assertEqual(lines[1], f"{self.ROWS} 3")
        values = [float(line) for line in lines[2:]]
        return [values[j * self.ROWS:(j + 1) * self.ROWS] for j in range(3)]

    def test_columns_are_solved(self):
        for name, entries, symmetry in (("s.mtx", laplacian(6), "symmetric"),
                                        ("g.mtx", wind(6), "general")):
            self.write(name, mtx(entries, self.ROWS, symmetry))
            for rhs in ("b.npy", "b.mtx"):
                for device in ("cpu", "sim", "cpu,cpu"):
                    report = self.solve(name, "--rhs", rhs, "-o", "x.mtx", "--tolerance", "1e-11",
                                        "--device", device)
                    for x, b in zip(self.read_columns("x.mtx"), self.columns):
                        self.assert_near(x, eliminate(entries, self.ROWS, b), 1e-9)
                    columns = report["results"]["right_hand_sides"]
                    self.assertEqual([c["stop"] for c in columns], ["converged"] * 3)
                    self.assertEqual(sum(c["iterations"] for c in columns),
                                     report["results"]["iterations"])
                    self.assertEqual(len(report["results"]["attempts"]), 1)
        # each column is what it is alone
        self.write("one.mtx", vector(self.columns[2]))
        self.solve("g.mtx", "--rhs", "one.mtx", "-o", "one-x.mtx", "--tolerance", "1e-11")
        self.assertEqual(self.read_vector("one-x.mtx"), self.read_columns("x.mtx")[2])
        self.solve("g.mtx", "--rhs", "b.mtx", "--guess", "x.mtx", "-o", "y.npy")
        with open(self.path("y.npy"), "rb") as file:
            data = file.read()
        self.assertIn(b"'shape': (36, 3)", data)
        found = [v for v, in struct.iter_unpack("<d", data[-8 * 3 * self.ROWS:])]
        self.assertEqual(found, [v for column in self.read_columns("x.mtx") for v in column])

    def test_one_that_fails(self):
        self.write("s.mtx", mtx({(i, i): float(i > 0) for i in range(self.ROWS)}, self.ROWS))
        self.columns[0][0] = self.columns[2][0] = 0.0
        self.write("b.mtx", f"%%MatrixMarket matrix array real general\n{self.ROWS} 3\n"
                   + "".join(f"{value!r}\n" for column in self.columns for value in column))
        result = self.run_command("solve", "s.mtx", "--rhs", "b.mtx", *QUICK, "-o", "x.mtx",
                                  "--json", "run.json")
        self.assertEqual(result.returncode, 1)
        self.assertIn("right-hand side 2: ", result.stderr)
        columns = self.read_json("run.json")["results"]["right_hand_sides"]
        self.assertEqual([c["stop"] == "converged" for c in columns], [True, False, True])


class Defaults(SolveTest):
    def check(self, name, entries, rows, *arguments, bound=1e-8):
        """Solve for ones by default; returns the report."""
        report = self.solve(name, "-o", "x.mtx", *arguments)
        self.assertLess(residual(entries, self.read_vector("x.mtx"), [1.0] * rows), bound)
        return report

    def test_badly_scaled(self):
        self.write("a.mtx", BANNER + "symmetric\n2 2 3\n1 1 2e-9\n2 1 -1\n2 2 2e9\n")
        for arguments in ([], ["--method", "cg"], ["--method", "direct"]):
            if "direct" in arguments and not self.has("superlu"):
                continue
            self.solve("a.mtx", "-o", "x.mtx", *arguments)
            x = self.read_vector("x.mtx")
            self.assertAlmostEqual(x[0] / ((2e9 + 1) / 3), 1, delta=1e-8)
            self.assertAlmostEqual(x[1] / ((1 + 2e-9) / 3), 1, delta=1e-8)

    def test_symmetric_to_rounding(self):
        entries = laplacian(6)
        entries[0, 2], entries[2, 0] = 1e-17, -1e-17
        self.write("a.mtx", mtx(entries, 36))
        result = self.run_command("solve", "a.mtx", "--threads", "1")
        self.assertIn("symmetry        symmetric but for rounding, 5.0e-18", result.stdout)
        self.assertIn("method          cg, preconditioner jacobi", result.stdout)
        result = self.run_command("solve", "a.mtx", "--threads", "1", "--symmetric", "no")
        self.assertIn("symmetry        none by --symmetric, entries differ by up to 5.0e-18",
                      result.stdout)
        report = self.check("a.mtx", entries, 36, "--symmetric", "no")
        self.assertEqual(report["parameters"]["method"], "bicgstab")
        entries[0, 2] = 1e-6
        self.write("a.mtx", mtx(entries, 36))
        self.assertEqual(self.check("a.mtx", entries, 36)["parameters"]["method"], "bicgstab")
        result = self.run_command("solve", "a.mtx", "--threads", "1", "--symmetric", "yes",
                                  "--tolerance", "1e-5")
        self.assertIn("taken for symmetric by --symmetric, entries differ by up to 2.5e-07",
                      result.stdout)
        report = self.solve("a.mtx", "--symmetric", "yes", "--tolerance", "1e-5")
        self.assertEqual(report["parameters"]["method"], "cg")
        self.assert_refused(["solve", "a.mtx", "--symmetric", "maybe", *QUICK], ["--symmetric"])

    def test_negative_definite(self):
        entries = {place: -value for place, value in laplacian(9).items()}
        self.write("a.mtx", mtx(entries, 81, "symmetric"))
        for device in ("cpu", "sim", "cpu,cpu"):
            for arguments in ([], ["--method", "cg-single"], ["-p", "multigrid"]):
                report = self.check("a.mtx", entries, 81, "--device", device, *arguments)
                self.assertTrue(report["parameters"]["method"].startswith("cg"))
                self.assertTrue(report["results"]["negated"])
        result = self.run_command("solve", "a.mtx", "--threads", "1")
        self.assertIn("the diagonal is negative: -A x = -b is solved", result.stdout)
        self.assertIn("below 0 in 81 rows", result.stdout)
        report = self.check("a.mtx", entries, 81, "--method", "gmres")
        self.assertFalse(report["results"]["negated"])

    def test_indefinite_with_a_positive_diagonal(self):
        self.write("a.mtx", BANNER + "symmetric\n3 3 6\n1 1 1\n2 1 -0.9\n3 1 -0.9\n2 2 1\n"
                                     "3 2 -0.9\n3 3 1\n")
        self.write("b.mtx", vector([1.0, 1.0, 1.5]))
        result = self.run_command("solve", "a.mtx", "--rhs", "b.mtx", "--threads", "1", "--json",
                                  "run.json", "-o", "x.mtx")
        self.assertEqual(result.returncode, 0)
        self.assertIn("tesela: cg with jacobi stopped after", result.stderr)
        attempts = self.read_json("run.json")["results"]["attempts"]
        self.assertEqual(attempts[0]["method"], "cg")
        self.assertIn("curvature", attempts[0]["failed"])
        self.assertIsNone(attempts[-1]["failed"])
        entries = {(i, j): 1.0 if i == j else -0.9 for i in range(3) for j in range(3)}
        self.assert_near(self.read_vector("x.mtx"), eliminate(entries, 3, [1.0, 1.0, 1.5]), 1e-7)
        # a preconditioner that was named stays, the method follows the matrix
        for name in ("none", "ilu0", "block-jacobi", "chebyshev"):
            for device in ("cpu", "cpu,cpu"):
                report = self.solve("a.mtx", "--rhs", "b.mtx", "-p", name, "-o", "x.mtx",
                                    "--device", device)
                self.assertIn((report["parameters"]["method"],
                               report["parameters"]["preconditioner"]), (("cg", name),
                                                                         ("gmres", name)))
                self.assert_near(self.read_vector("x.mtx"), eliminate(entries, 3, [1.0, 1.0, 1.5]),
                                 1e-7)
        # a method that was named stays
        result = self.run_command("solve", "a.mtx", "--rhs", "b.mtx", *QUICK, "--method", "cg")
        self.assertEqual(result.returncode, 1)

    def test_saddle_points(self):
        entries, rows = saddle(12)
        self.write("a.mtx", mtx(entries, rows))
        report = self.check("a.mtx", entries, rows)
        self.assertEqual(report["parameters"]["method"],
                         "direct" if self.has("superlu") else "gmres")

    def test_advice_for_a_zero_on_the_diagonal_helps(self):
        entries, rows = saddle(9)
        self.write("a.mtx", mtx(entries, rows))
        for name in ("jacobi", "ilu0"):
            self.assert_refused(["solve", "a.mtx", "-p", name, *QUICK],
                                ["use none, or direct as the method"])
        for arguments in (["-p", "none"], *([["-m", "direct"]] if self.has("superlu") else [])):
            self.check("a.mtx", entries, rows, *arguments)

    def test_direct_on_all_devices(self):
        entries, rows = saddle(9)
        self.write("a.mtx", mtx(entries, rows))
        if not self.has("superlu"):
            self.assert_refused(["solve", "a.mtx", "-m", "direct", *QUICK], ["no SuperLU"])
            self.skipTest("built without SuperLU")
        found = set()
        for device in ("cpu", "sim", "sim:reversed", "cpu,cpu,cpu", "sim,sim"):
            report = self.check("a.mtx", entries, rows, "-m", "direct", "--device", device,
                                bound=1e-13)
            self.assertGreater(report["results"]["condition"], 1)
            self.assertGreater(report["results"]["factor_entries"], len(entries))
            with open(self.path("x.mtx"), encoding="ascii") as file:
                found.add((device.startswith("sim"), file.read()))
        self.assertEqual(len(found), 2)  # sums of a CPU and of a GPU: no more
        self.write("s.mtx", BANNER + "general\n3 3 4\n1 1 1\n2 1 1\n3 2 1\n3 1 1\n")
        result = self.run_command("solve", "s.mtx", "-m", "direct", *QUICK)
        self.assertEqual(result.returncode, 1)
        self.assertIn("direct did not converge: elimination finds no pivot", result.stderr)

    def test_limits_are_kept(self):
        entries, rows = saddle(9)
        self.write("a.mtx", mtx(entries, rows))
        result = self.run_command("solve", "a.mtx", *QUICK, "-m", "gmres", "--max-iterations", "5")
        self.assertEqual(result.returncode, 1)
        self.write("s.mtx", mtx(laplacian(20), 400, "symmetric"))
        self.assertEqual(self.run_command("solve", "s.mtx", *QUICK, "-n", "5").returncode, 1)


class Kinds(SolveTest):
    """A dozen matrices that stand for the kinds that users bring: (make, method, iterations that it
    may take); None: whichever method. bench/linsolve/solve_defaults.py times larger ones."""
    SYSTEMS = {
        "Laplacian": (lambda: kinds.laplacian(20), "cg", 60),
        "negative": (lambda: kinds.laplacian(20, sign=-1.0), "cg", 60),
        "badly scaled": (lambda: kinds.badly_scaled(20), "cg", 150),
        "Helmholtz": (lambda: kinds.laplacian(20, shift=0.3), "direct", 5),
        "pinned pressure": (lambda: kinds.pinned(20), "bicgstab", 40),
        "boundary rows": (lambda: kinds.boundary_rows(20), "bicgstab", 20),
        "convection": (lambda: kinds.convection(20), "bicgstab", 20),
        "saddle point": (lambda: kinds.saddle(12), "direct", 5),
        "scattered": (lambda: kinds.scattered(400), "direct", 5),
        "cycle": (lambda: (67, {(i, (i + 1) % 67): 1.0 + i for i in range(67)}), "direct", 5),
        "full": (lambda: (9, {(i, j): 1.0 / (1 + abs(i - 2 * j)) for i in range(9)
                              for j in range(9)}), None, 20),
        "skew": (lambda: (6, {(i, j): 1.0 + i + j if i < j else -1.0 - i - j for i in range(6)
                              for j in range(6) if i != j}), None, 20)}

    def test_all_are_solved(self):
        factors = self.has("superlu")
        for name, (make, method, most) in self.SYSTEMS.items():
            if method == "direct" and not factors:
                continue
            rows, entries = make()
            self.write("a.mtx", mtx(entries, rows))
            found = set()
            for device in ("cpu", "cpu,cpu", "sim"):
                with self.subTest(name=name, device=device):
                    results = self.solve("a.mtx", "-o", "x.mtx", "--device", device)["results"]
                    last = results["attempts"][-1]
                    if method is not None:
                        self.assertEqual(last["method"], method)
                        self.assertLessEqual(last["iterations"], most)
                    found.add((last["method"], last["preconditioner"]))
                    if name != "badly scaled":  # of that rounding leaves a larger one
                        self.assertLess(exact_residual(rows, entries, self.read_vector("x.mtx")),
                                        1.01e-8)
            self.assertEqual(len(found), 1, name)  # no device or number of ranks chooses

    def test_defaults_beat_gmres(self):
        """What was the default for matrices that are not symmetric, by products with them."""
        for make in (kinds.pinned, kinds.boundary_rows, kinds.convection):
            rows, entries = make(40)
            self.write("a.mtx", mtx(entries, rows))
            now = self.solve("a.mtx")["results"]
            result = self.run_command("solve", "a.mtx", *QUICK, "-m", "gmres", "-p", "jacobi",
                                      "--restart", "30", "--json", "run.json")
            self.assertIn(result.returncode, (0, 1))
            self.assertLess(3 * now["iterations"],
                            self.read_json("run.json")["results"]["iterations"], make)

    def test_singular_ones_are_named(self):
        """A column twice, an empty row, and constants that b does not miss."""
        rows, entries = kinds.convection(6)
        double = {(i, j): v for (i, j), v in entries.items() if j != 9} | {
            (i, 9): v for (i, j), v in entries.items() if j == 20}
        empty = {(i, j): v for (i, j), v in entries.items() if i != 9}
        for bad, text in ((double, "singular"), (empty, "row 10 is empty"),
                          (kinds.neumann(6)[1], "constants are its null space")):
            self.write("a.mtx", mtx(bad, rows))
            result = self.run_command("solve", "a.mtx", *QUICK)
            self.assertEqual(result.returncode, 1, text)
            self.assertIn(text, result.stderr)


class NullSpaces(SolveTest):
    N = 12

    def neumann(self, parts=1):
        """Laplacians of grids without boundary values, that do not hang together."""
        entries = {}
        for part in range(parts):
            for (i, j), value in laplacian(self.N).items():
                if i != j:
                    i, j = i + part * self.N ** 2, j + part * self.N ** 2
                    entries[i, j] = value
                    entries[i, i] = entries.get((i, i), 0.0) - value
        return entries

    def write_system(self, off, parts=1):
        rows = parts * self.N ** 2
        b = [math.sin(k) for k in range(rows)]
        for part in range(parts):
            own = slice(part * self.N ** 2, (part + 1) * self.N ** 2)
            mean = math.fsum(b[own]) / self.N ** 2
            b[own] = [value - mean + off for value in b[own]]
        self.write("a.mtx", mtx(self.neumann(parts), rows, "symmetric"))
        self.write("b.mtx", vector(b))
        return b

    def test_slightly_inconsistent(self):
        for parts in (1, 3):
            b = self.write_system(1e-5, parts)
            for arguments in ([], ["-p", "multigrid", "--coarse-rows", "60"]):
                result = self.run_command("solve", "a.mtx", "--rhs", "b.mtx", *QUICK, *arguments)
                self.assertEqual(result.returncode, 1)
                self.assertIn("of b's norm is not in the matrix's range: constants", result.stderr)
                self.assertIn("--null-space constant", result.stderr)
                self.assertNotIn("positive definite", result.stderr)
                for device in ("cpu", "sim", "cpu,cpu"):
                    report = self.solve("a.mtx", "--rhs", "b.mtx", "--null-space", "constant",
                                        "-o", "x.mtx", "--device", device, *arguments)
                    x = self.read_vector("x.mtx")
                    self.assertAlmostEqual(math.fsum(x), 0, delta=1e-9 * len(x))
                    inside = [value - 1e-5 for value in b]
                    self.assertLess(residual(self.neumann(parts), x, inside), 1.01e-8)
                    results = report["results"]
                    self.assertEqual((results["null_space"], results["null_space_parts"]),
                                     ("constant", parts))
                    self.assertAlmostEqual(results["right_hand_sides"][0]["outside_range"],
                                           1e-5 * math.sqrt(len(b)) / math.hypot(*b), delta=1e-9)

    def test_consistent(self):
        b = self.write_system(0)
        for arguments in ([], ["-p", "multigrid", "--coarse-rows", "60"], ["-m", "gmres"]):
            report = self.solve("a.mtx", "--rhs", "b.mtx", "-o", "x.mtx", *arguments)
            self.assertEqual(report["results"]["null_space"], "constant")
            self.assertLess(residual(self.neumann(), self.read_vector("x.mtx"), b), 1e-8)
        report = self.solve("a.mtx", "--rhs", "b.mtx", "--null-space", "none")
        self.assertIsNone(report["results"]["null_space"])

    def test_b_without_a_share(self):
        self.write_system(0)
        result = self.run_command("solve", "a.mtx", *QUICK, "-o", "x.mtx")  # b of ones
        self.assertEqual(result.returncode, 1)
        self.assertIn("1 of b's norm is not in the matrix's range", result.stderr)
        self.assertEqual(set(self.read_vector("x.mtx")), {0.0})

    def test_shares_about_the_tolerance(self):
        """What is told of b's part is right to a billionth of the tolerance, and what is said to have
        converged has done so for b as it was given."""
        b = self.write_system(0)
        size = math.hypot(*b)
        for share in (1e-3, 1e-7, 3e-8, 9.9e-9, 7e-9, 1e-9, 1e-11):
            given = [value + share * size / math.sqrt(len(b)) for value in b]
            self.write("b.mtx", vector(given))
            for arguments in ([], ["-p", "multigrid", "--coarse-rows", "60"], ["-m", "gmres"]):
                report = self.solve("a.mtx", "--rhs", "b.mtx", "-o", "x.mtx", *arguments,
                                    status=int(share > 1e-8))["results"]
                column = report["right_hand_sides"][0]
                self.assertAlmostEqual(column["outside_range"] / share, 1, delta=1e-4)
                self.assertAlmostEqual(column["rhs_norm"] / math.hypot(*given), 1, delta=1e-12)
                self.assertEqual(column["stop"] == "converged", share < 1e-8)
                found = residual(self.neumann(), self.read_vector("x.mtx"), given)
                self.assertAlmostEqual(report["true_residual"], found, delta=1e-12)
                self.assertEqual(found <= 1e-8, share < 1e-8)
            # the norm of the residual that is allowed counts it too
            self.solve("a.mtx", "--rhs", "b.mtx", "-o", "x.mtx", "--tolerance", "0", "--absolute",
                       repr(1.5 * share * size))
            found = residual(self.neumann(), self.read_vector("x.mtx"), given)
            self.assertLessEqual(found * math.hypot(*given), 1.5 * share * size)

    def test_each_column_is_judged(self):
        b = self.write_system(0)
        columns = [[value + off for value in b] for off in (1e-5, 0, 1e-3)]
        self.write("b.mtx", f"%%MatrixMarket matrix array real general\n{len(b)} 3\n"
                   + "".join(f"{value!r}\n" for column in columns for value in column))
        report = self.solve("a.mtx", "--rhs", "b.mtx", status=1)
        self.assertEqual([c["stop"] == "converged" for c in report["results"]["right_hand_sides"]],
                         [False, True, False])

    def test_refusals(self):
        self.write("a.mtx", mtx(laplacian(4), 16, "symmetric"))
        self.assert_refused(["solve", "a.mtx", "--null-space", "constant", *QUICK],
                            ["row or column 1 does not sum to 0"])


class Help(CommandTest):
    def test_defaults_are_the_librarys(self):
        """Each default and range that --help tells is one that the header or the parser has."""
        text = " ".join(self.run_command("solve", "--help").stdout.split())
        with open(os.path.join(SOURCE, "include", "tesela", "sparse.h"), encoding="utf-8") as file:
            header = " ".join(file.read().replace("*", " ").split())
        for told, where in (("(1e-8)", "TSL_LINSOLVE_JACOBI, 1e-8, 0.0, 10000, 30"),
                            ("give up after so many (10000)", "0.0, 10000, 30"),
                            ("1 to 64 (8)", "8, 3, TSL_LINSOLVE_SMOOTH_CHEBYSHEV"),
                            ("1 to 64 (3)", "8, 3, TSL_LINSOLVE_SMOOTH_CHEBYSHEV"),
                            ("0 to 1 (0.08)", "0.0, 0.08, 500"),
                            ("1 to 4000 (500)", "0.0, 0.08, 500"),
                            ("(30; as a smoother 4, or 3 where the degree is less than 3)",
                             "30 as preconditioner; as smoother 4, or 3 where the degree is less "
                             "than 3")):
            self.assertIn(told, text)
            self.assertIn(where.replace("\\", ""), header.replace("\\ ", ""))

    def test_what_the_command_takes_the_library_takes(self):
        self.write("a.mtx", BANNER + "symmetric\n1 1 1\n1 1 1\n")
        for option, value in (("--eigenvalue-ratio", "2e6"), ("--absolute", "1e301")):
            self.assert_refused(["solve", "a.mtx", "-p", "chebyshev", option, value, *QUICK],
                                [option, "give a number"])
        for option, value in (("--eigenvalue-ratio", "1e6"), ("--absolute", "1e300")):
            result = self.run_command("solve", "a.mtx", "-p", "chebyshev", option, value, *QUICK)
            self.assertEqual(result.returncode, 0, result.stderr)


class Collections(SolveTest):
    @unittest.skipUnless(os.path.isdir(MATRICES), "no ../shared/data/matrices")
    def test_real_matrices(self):
        solved = 0
        with open(os.path.join(MATRICES, "README.md"), encoding="utf-8") as file:
            table = [[cell.strip() for cell in line.split("|")[1:-1]] for line in file
                     if ".mtx |" in line]
        for name, _, _, _, lu in table:
            path = os.path.join(MATRICES, name + ".gz")
            result = self.run_command("solve", path, *QUICK, "-o", "x.mtx", "-n", "2000")
            self.assertIn(result.returncode, (0, 1), result.stderr)
            if result.returncode == 0:
                rows, entries = read_gzipped(path)
                found = exact_residual(rows, entries, self.read_vector("x.mtx"))
                self.assertLessEqual(found, 1.01e-8, name)
                solved += float(lu) <= 1e-8
            else:
                self.assertRegex(result.stderr, "singular|null space|ended after 2000", name)
        if self.has("superlu"):
            self.assertGreaterEqual(solved, 0.95 * SOLVED_BY_LU)


if __name__ == "__main__":
    unittest.main()
