"""`tesela xc`: values of a file, the reports, and what it refuses."""

import ctypes
import json
import math
import os
import struct
import sys
import unittest
from unittest import mock

sys.dont_write_bytecode = True  # leave the source tree as it is
from command import CommandTest
from test_json import Reports
from test_transpose import npy, parse

# Uniform gas, exchange per electron: LDA_X n^(1/3).
LDA_X = -0.75 * (3 / math.pi) ** (1 / 3)

# File names of the library, in the order in which the command tries them.
LIBXC = ("libxc.so.9", "libxc.so.12", "libxc.so.15", "libxc.so")


def libxc_is_there():
    for name in LIBXC:
        try:
            ctypes.CDLL(name)
            return True
        except OSError:
            pass
    return False


def rows_of(points):
    return npy([len(points), len(points[0])],
               data=b"".join(struct.pack(f"<{len(p)}d", *p) for p in points))


class Eval(CommandTest):
    def evaluate(self, points, *arguments):
        self.write("in.npy", rows_of(points))
        result = self.run_command("xc", "eval", "-i", "in.npy", "-o", "out.npy", "--device", "cpu", *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.stderr = result.stderr
        with open(self.path("out.npy"), "rb") as file:
            header, data = parse(file.read())
        self.assertEqual(header["descr"], "<f8")
        count, width = header["shape"]
        values = struct.unpack(f"<{count * width}d", data)
        return [values[i * width:(i + 1) * width] for i in range(count)]

    def test_pbe_exchange_as_published(self):
        kappa, mu = 0.804, 0.2195149727645171
        points = [(0.01 * 1.7 ** i, 0.03 * 1.9 ** i) for i in range(20)]
        for (n, sigma), got in zip(points, self.evaluate(points, "-f", "gga_x_pbe", "--order", "0")):
            s2 = sigma / (2 * (3 * math.pi ** 2) ** (1 / 3) * n ** (4 / 3)) ** 2
            wanted = LDA_X * n ** (1 / 3) * (1 + kappa - kappa / (1 + mu * s2 / kappa))
            self.assertAlmostEqual(got[0] / wanted, 1, places=13)

    def test_columns_and_orders(self):
        for spin, order, width in (([], 0, 1), ([], 1, 3), ([], 2, 6), (["--spin"], 0, 1), (["--spin"], 1, 6),
                                   (["--spin"], 2, 21)):
            point = (0.1, 0.2, 0.3, 0.1, 0.4) if spin else (0.3, 0.2)
            rows = self.evaluate([point] * 3, "--order", str(order), "--json", "r.json", "--quiet", *spin)
            self.assertEqual([len(row) for row in rows], [width] * 3)
            with open(self.path("r.json"), encoding="utf-8") as file:
                columns = json.load(file)["results"]["columns"]
            self.assertEqual(len(columns), width)
            self.assertEqual(len(set(columns)), width)

    def test_more_columns_are_not_read(self):
        points = [(0.2, 0.1, 7.0), (0.3, 0.4, -1.0)]
        self.assertEqual(self.evaluate(points), self.evaluate([p[:2] for p in points]))

    def test_rows_of_two_spins_need_their_option(self):
        task = ["xc", "eval", "-i", "in.npy", "-o", "out.npy", "--device", "cpu"]
        self.write("in.npy", rows_of([(0.1, 0.1, 0.02, 0.02, 0.02)]))
        self.assert_refused(task, ["in.npy: has rows of 5 numbers", "closed shell have at most 4", "--spin"])
        self.write("in.npy", rows_of([(0.1,) * 10]))
        self.assert_refused([*task, "--spin"], ["in.npy: has rows of 10 numbers", "with --spin have at most 9"])

    def test_a_dash_is_no_file(self):
        self.write("in.npy", rows_of([(0.1, 0.1)]))
        self.assert_refused(["xc", "eval", "-i", "in.npy", "-o", "-", "--device", "cpu"], ["-o -", "/dev/stdout"])
        self.write("in.npy", "0.1,0.1\n")
        self.assert_refused(["xc", "eval", "-i", "in.npy", "-o", "out.npy"],
                            ["in.npy: is no .npy file", "numpy.save()"])

    def test_the_laplacian_has_its_columns(self):
        """They are before those of tau, and are not read."""
        closed = self.evaluate([(0.2, 0.1, 7.0, 0.3)], "-f", "scan")
        self.assertEqual(closed, self.evaluate([(0.2, 0.1, math.nan, 0.3)], "-f", "scan"))
        self.assertNotEqual(closed, self.evaluate([(0.2, 0.1, 7.0, 0.4)], "-f", "scan"))
        spins = self.evaluate([(0.1, 0.1, 0.025, 0.025, 0.025, 5.0, -5.0, 0.15, 0.15)], "-f", "scan", "--spin")
        self.assertAlmostEqual(spins[0][0] / closed[0][0], 1, places=12)

    def test_a_sum_is_its_parts(self):
        points = [(0.2, 0.1), (0.3, 0.4)]
        whole = self.evaluate(points, "-f", "0.25*hf + 0.75*gga_x_pbe + gga_c_pbe")
        self.assertIn("exact exchange", self.stderr)
        self.assertIn("0.25", self.stderr)
        self.assertEqual(whole, self.evaluate(points, "-f", "pbe0"))
        x, c = self.evaluate(points, "-f", "101"), self.evaluate(points, "-f", "XC_GGA_C_PBE")
        for got, a, b in zip(whole, x, c):
            for value, p, q in zip(got, a, b):
                self.assertAlmostEqual(value, 0.75 * p + q, places=14)

    def test_hyphens_of_names(self):
        points = [(0.2, 0.1), (0.3, 0.4)]
        for name, same in (("GGA-X-PBE", "gga_x_pbe"), ("2*gga-c-pbe", "2*gga_c_pbe"),
                           ("pbe-0.5*gga-x-pbe", "0.5*gga_x_pbe + gga_c_pbe"), ("pbe-gga_x_pbe", "gga_c_pbe")):
            for got, wanted in zip(self.evaluate(points, "-f", name), self.evaluate(points, "-f", same)):
                for a, b in zip(got, wanted):
                    self.assertAlmostEqual(a, b, places=14)

    def test_odd_points_are_told(self):
        rows = self.evaluate([(0.2, 0.1), (-1, 0.1), (0.3, math.nan)])
        self.assertIn("2 of 3 points", self.stderr)
        self.assertEqual(rows[1], (0.0, 0.0, 0.0))
        self.assertTrue(all(math.isfinite(v) for v in rows[2]))

    def test_values_that_are_no_numbers_are_told(self):
        for arguments in ([], ["-f", "gga_x_b86"], ["--device", "sim"]):
            rows = self.evaluate([(0.2, 0.1), (math.inf, 0.1), (0.2, 0.1)], *arguments)
            self.assertIn("out.npy: 1 of 3 points have values that are no finite numbers", self.stderr)
            self.assertNotIn("raised", self.stderr)
            self.assertEqual([all(map(math.isfinite, row)) for row in rows], [True, False, True])

    def test_sim_says_the_same(self):
        points = [(0.02 * 1.3 ** i, 0.03 * 1.4 ** i) for i in range(300)]
        for a, b in zip(self.evaluate(points), self.evaluate(points, "--device", "sim")):
            for x, y in zip(a, b):
                self.assertLess(abs(x - y), 2e-13 * max(abs(x), 1e-6))

    @unittest.skipUnless(libxc_is_there(), "Libxc is not installed (Debian: libxc9)")
    def test_libxc_has_what_is_not_here(self):
        points = [(0.2, 0.1), (0.3, 0.4)]
        foreign = self.evaluate(points, "-f", "gga_x_mpw91", "--allow-libxc")
        self.assertRegex(self.stderr, r"^tesela: gga_x_mpw91: 1 of 1 parts by Libxc \d+\.\d+\.\d+, on the CPU\n$")
        here = self.evaluate(points, "-f", "gga_c_pbe", "--allow-libxc")
        self.assertEqual(self.stderr, "")
        whole = self.evaluate(points, "-f", "2*gga_x_mpw91 + gga_c_pbe", "--allow-libxc", "--json", "r.json")
        self.assertIn("1 of 2 parts", self.stderr)
        for got, a, b in zip(whole, foreign, here):
            for value, p, q in zip(got, a, b):
                self.assertAlmostEqual(value, 2 * p + q, places=13)
        with open(self.path("r.json"), encoding="utf-8") as file:
            report = json.load(file)
        self.assertEqual(report["results"]["libxc_parts"], 1)
        self.assertRegex(report["results"]["libxc_version"], r"^\d+\.\d+")

    @unittest.skipUnless(libxc_is_there(), "Libxc is not installed (Debian: libxc9)")
    def test_the_laplacian_is_read_for_libxc(self):
        options = ["-f", "mgga_k_pc07", "--allow-libxc", "--json", "r.json"]
        one, other = (self.evaluate([(0.2, 0.1, lapl, 0.3)], *options)[0] for lapl in (-0.5, 0.5))
        self.assertNotEqual(one[0], other[0])
        self.assertNotIn("raised", self.stderr)
        with open(self.path("r.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["results"]["columns"], ["exc", "vrho", "vsigma", "vlapl", "vtau"])

    @unittest.skipUnless(libxc_is_there(), "Libxc is not installed (Debian: libxc9)")
    def test_a_formula_by_libxc_as_published(self):
        """Goedecker, Teter and Hutter, Phys. Rev. B 54, 1703 (1996), of a closed shell."""
        for n, got in ((n, self.evaluate([[n]], "-f", "lda_xc_teter93", "--allow-libxc", "--order", "0"))
                       for n in (0.01, 1.0)):
            r = (3 / (4 * math.pi * n)) ** (1 / 3)
            above = 0.4581652932831429 + r * (2.217058676663745 + r * (0.7405551735357053 + r * 0.01968227878617998))
            below = 1 + r * (4.504130959426697 + r * (1.110667363742916 + r * 0.02359291751427506))
            self.assertAlmostEqual(got[0][0] / (-above / (r * below)), 1, places=12)


class Check(CommandTest):
    def check(self, *arguments):
        """{what was checked of which spins: the case}, and whether all hold."""
        result = self.run_command("xc", "check", "--points", "1000", "--quiet", "--json", "r.json", *arguments)
        with open(self.path("r.json"), encoding="utf-8") as file:
            report = json.load(file)
        cases = {tuple(c["name"].split(", ", 1)[1].split(": ")): c for c in report["results"]["cases"]}
        self.assertEqual(result.returncode, 0 if all(c["ok"] for c in cases.values()) else 1)
        return cases

    def test_third_derivatives_are_finite_where_the_device_has_them(self):
        for device, is_there in (("cpu", True), ("sim", False)):
            cases = self.check("-f", "pbe", "--device", device)
            self.assertTrue(all(c["ok"] for c in cases.values()))
            for spins in ("closed shell", "two spins"):
                self.assertEqual((f"{spins}, order 2", "finite third") in cases, is_there)

    def test_a_value_that_is_no_number_is_not_forgotten(self):
        """A coefficient so large makes the values of some points infinite, and those of the last one not."""
        cases = self.check("-f", "1e306*gga_x_b88", "--device", "cpu")
        self.assertGreater(cases["closed shell, order 2", "finite"]["value"], 0)
        for name in (("closed shell, order 2", "differences"), ("two spins, order 2", "swap")):
            self.assertEqual((cases[name]["value"], cases[name]["ok"]), (None, False))


class Study(CommandTest):
    def test_kernels_with_caps_of_registers_on_sim(self):
        """Their values are those of evaluation, and each of 5 caps, 4 blocks and 2 batches has its row."""
        result = self.run_command("xc", "study", "--points", "2000", "--repeats", "2", "--device", "sim", "--json",
                                  "r.json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"63 are fastest: (holds|does not hold) at 200, (holds|does not hold) at 2000")
        with open(self.path("r.json"), encoding="utf-8") as file:
            report = json.load(file)
        rows = report["results"]["measurements"]
        self.assertEqual(len({(r["points"], r["threads"], r["most_registers"]) for r in rows}), 40)
        self.assertTrue(all(r["seconds"] > 0 and r["deviation"] >= 0 for r in rows))
        self.assertEqual(report["results"]["differing_values"], 0)
        self.assertTrue(report["verified"])
        by_place = {(r["points"], r["threads"], r["most_registers"]): r for r in rows}
        for one in (c for c in report["results"]["conclusions"] if c["conclusion"].startswith("more threads")):
            few, many = (by_place[one["points"], t, 63] for t in (64, 512))
            self.assertEqual(one["holds"],
                             not many["seconds"] + many["deviation"] < few["seconds"] - few["deviation"])


class Figure(CommandTest):
    def test_enhancement_factors_of_water(self):
        """The example's density: its gradient is that of differences, and no orbital has less than tau_W."""
        folder = os.path.join(os.environ["TESELA_SOURCE"], "examples")
        archive = self.path("water.npz")
        result = self.run_command("scf", os.path.join(os.environ["TESELA_SOURCE"], "data", "water.xyz"), "--basis",
                                  "def2-svp", "--xc", "pbe", "--restart", archive, "--quiet", "--device", "cpu")
        self.assertEqual(result.returncode, 0, result.stderr)
        with mock.patch.object(sys, "path", [folder, *sys.path]):
            import enhancement_factors as example
        data = example.read_archive(archive)
        for point in ([0.3, -0.2, 0.5], [0.1, 1.2, -0.9], [-0.4, 0.8, 1.1]):
            n, sigma, tau = example.density_at(data, point)
            step, gradient = 1e-4, []
            for axis in range(3):
                ends = [example.density_at(data, [x + side * step * (i == axis) for i, x in enumerate(point)])[0]
                        for side in (1, -1)]
                gradient.append((ends[0] - ends[1]) / (2 * step))
            self.assertAlmostEqual(sum(g * g for g in gradient) / sigma, 1, places=5)
            self.assertGreater(tau, sigma / (8 * n))
        picture = self.path("factors.svg")
        example.main([archive, picture, "lda_x", "pbe"])
        with open(picture, encoding="utf-8") as file:
            text = file.read()
        self.assertIn(">lda_x</text>", text)
        uniform = [x for x in text.split("\n") if 'stroke="#0072b2"' in x][0]
        self.assertEqual(len({pair.split()[1] for pair in uniform.split('"')[1][1:].split("L")}), 1)  # a factor of 1


class Refusals(CommandTest):
    def test_without_libxc(self):
        """A functional that is not here names the option; with it and no Libxc one line says what to install."""
        self.write("in.npy", rows_of([(0.1, 0.2)]))
        arguments = ["xc", "eval", "-f", "gga_x_mpw91", "-i", "in.npy", "-o", "out.npy", "--device", "cpu"]
        self.assert_refused(arguments, ["'gga_x_mpw91'", "--allow-libxc"])
        for name in LIBXC:
            self.write(name, b"no library")
        with mock.patch.dict(os.environ, LD_LIBRARY_PATH=self.folder):
            self.assert_refused([*arguments, "--allow-libxc"], ["Libxc cannot be used (", LIBXC[0], "libxc9"])
        self.assertFalse(os.path.exists(self.path("out.npy")))

    def test_names_and_options(self):
        self.write("in.npy", rows_of([(0.1, 0.2)]))
        files = ["-i", "in.npy", "-o", "out.npy", "--device", "cpu"]
        for arguments, words in (
                (["xc", "evil"], ["unknown task 'evil'", "eval"]),
                (["xc", "eval", "-f", "pbee", *files], ["'pbee'", "pbe"]),
                (["xc", "eval", "-f", "2*", *files], ["2*"]),
                (["xc", "eval", "-f", "hf", *files], ["exact exchange"]),
                (["xc", "eval", "--order", "4", *files], ["--order", "0 to 3"]),
                (["xc", "eval", "-i", "in.npy"], ["--output"]),
                (["xc", "eval", "-i", "in.npy", "-o", "in.npy"], ["in.npy"]),
                (["xc", "eval", "--spin", *files], ["in.npy", "without sigma_aa", "5 numbers"]),
                (["xc", "eval", "-f", "scan", *files], ["in.npy", "without tau", "4 numbers"]),
                (["xc", "list", "-o", "x.npy"], ["--output"]),
                (["xc", "bench", "--points", "10"], ["--points", "1000"]),
                (["xc", "study", "--device", "cpu"], ["registers", "cuda:0"])):
            self.assert_refused(arguments, words)
            self.assertFalse(os.path.exists(self.path("out.npy")))

    def test_files(self):
        arguments = ["xc", "eval", "-i", "in.npy", "-o", "out.npy", "--device", "cpu"]
        for content, words in ((npy([0, 2], data=b""), ["no points"]),
                               (npy([2, 1], data=bytes(16)), ["1 number,", "without sigma", "at least 2 numbers"]),
                               (npy([4], data=bytes(32)), ["1 axis", "at least 2 numbers"]),
                               (npy([1, 2], descr="<c16", data=bytes(32)), ["'<c16'", "float64"]),
                               (npy([2, 2], descr="|V8"), ["float64"]),
                               (b"text", ["in.npy"])):
            self.write("in.npy", content)
            self.assert_refused(arguments, words)
        self.assertFalse(os.path.exists(self.path("out.npy")))


class XcReports(Reports):
    """docs/json.md has every name."""

    def test_xc(self):
        self.write("in.npy", rows_of([(0.1, 0.2)]))
        for task, arguments in (("list", []), ("eval", ["-i", "in.npy", "-o", "out.npy"]),
                                ("check", ["-f", "pbe", "--points", "1000"]), ("bench", ["--points", "1000"]),
                                ("study", ["--points", "1000", "--repeats", "2"])):
            device = {"list": [], "study": ["--device", "sim"]}.get(task, ["--device", "cpu"])
            result = self.run_command("xc", task, *arguments, *device, "--quiet", "--json", "report.json")
            self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
            report = self.assert_documented("report.json", f"tesela xc {task}", absent="profile[]")
            self.assertEqual(report["command"], f"xc {task}")


def load_tests(loader, tests, pattern):
    """Of the imported class, only what is added here."""
    del tests, pattern
    suite = unittest.TestSuite()
    for case in (Eval, Check, Study, Figure, Refusals):
        suite.addTests(loader.loadTestsFromTestCase(case))
    suite.addTest(XcReports("test_xc"))
    return suite


if __name__ == "__main__":
    unittest.main()
