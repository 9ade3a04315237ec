"""`tesela poisson`: files against known answers, the suite, the benchmark, and what it refuses."""

import ast
import json
import math
import struct
import sys
import unittest

sys.dont_write_bytecode = True  # leave the source tree as it is
from command import CommandTest

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
        with open(self.path("run.json"), encoding="utf-8") as file:
            report = json.load(file)
        self.assertAlmostEqual(report["results"]["energy"], 0.5 * found[0], 10)
        self.assertEqual(report["parameters"]["boundary"], ["free"] * 3)

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


class Refusals(CommandTest):
    LENGTHS = ["--lengths", "3,1,2"]

    def refuse(self, words, *arguments, content=None, status=2):
        if content is not None:
            self.write("in.npy", content)
        self.assert_refused(["poisson", *arguments, *QUICK], words, status)

    def test_files(self):
        solve = ["in.npy", "-o", "out.npy", *self.LENGTHS]
        good, _ = wave((3, 1, 2))
        self.refuse(["missing.npy"], "missing.npy", "-o", "out.npy", *self.LENGTHS)
        self.refuse(["in.npy"], *solve, content=b"no array")
        self.refuse(["in.npy"], *solve, content=npy(good)[:-8])
        self.refuse(["in.npy", "2 axes"], *solve, content=npy(good, (6, 20)))
        self.refuse(["in.npy", "0 elements"], *solve, content=npy([], (0, 1, 1)))
        self.refuse(["in.npy", "Fortran order"], *solve, content=npy(good, fortran=True))
        self.refuse(["in.npy", "<i8"], *solve, content=npy([1] * 120, descr="<i8"))
        self.refuse(["in.npy", ">f8"], *solve, content=npy(good, descr=">f8"))
        for bad in (math.nan, math.inf):
            values = list(good)
            values[2 * 20 + 3 * 5 + 4] = bad
            self.refuse(["in.npy", "[2, 3, 4]", "no finite number"], *solve, content=npy(values))

    def test_problems(self):
        solve = ["in.npy", "-o", "out.npy", *self.LENGTHS]
        content = npy([1.0] * 120)
        self.refuse(["in.npy", "net charge of 6", "background"], *solve, content=content)
        self.refuse(["needs", "1.0 KiB are allowed"], *solve, "--memory", "1K")
        self.refuse(["three free axes"], *solve, "--kernel", "integrated")
        self.refuse(["three periodic axes"], *solve, "--boundary", "free", "--symbol",
                    "second-order")
        self.refuse(["no screening"], *solve, "--boundary", "free", "--kernel", "point",
                    "--screening", "1")
        self.refuse(["background"], *solve, "--boundary", "free", "--background")

    def test_too_little_memory(self):
        self.refuse(["out of memory", "12288 x 12288 x 12288", "are free"], "bench", "--n",
                    "12288", "--boundary", "free", status=3)

    def test_options(self):
        self.refuse(["give a file, verify or bench"])
        self.refuse(["-o OUTPUT is missing"], "in.npy", *self.LENGTHS)
        self.refuse(["--lengths is missing"], "in.npy", "-o", "out.npy")
        self.refuse(["-o goes with a file"], "verify", "-o", "out.npy")
        self.refuse(["--n and --repeat"], "verify", "--n", "8")
        self.refuse(["one argument too many"], "verify", "bench")
        for option, value, word in (("--lengths", "1,2", "three numbers"),
                                    ("--lengths", "1,2,-3", "three numbers"),
                                    ("--lengths", "1,2,3,4", "three numbers"),
                                    ("--boundary", "open", "periodic or free"),
                                    ("--boundary", "free,free", "periodic or free"),
                                    ("--equation", "plan", "did you mean plain?"),
                                    ("--symbol", "fourth", "spectral or second-order"),
                                    ("--kernel", "point2", "did you mean point?"),
                                    ("--precision", "half", "single or double"),
                                    ("--screening", "-1", "0 up"),
                                    ("--memory", "some", "--memory"),
                                    ("--n", "0", "whole numbers"),
                                    ("--n", "8,8", "whole numbers"),
                                    ("--repeat", "0", "whole number")):
            self.refuse([option, word], "bench", option, value)


class Suite(CommandTest):
    def test_all_is_well(self):
        result = self.run_command("poisson", "verify", "--device", "cpu", "--json", "verify.json")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        with open(self.path("verify.json"), encoding="utf-8") as file:
            report = json.load(file)
        self.assertTrue(report["verified"])
        self.assertGreaterEqual(len(report["results"]["cases"]), 14)
        self.assertEqual(result.stdout.count(" ok\n"), len(report["results"]["cases"]))


if __name__ == "__main__":
    unittest.main()
