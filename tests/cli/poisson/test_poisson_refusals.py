"""`tesela poisson`: what it refuses, what it tells of ranks, and its suite."""

import gzip
import math
import os
import sys
import unittest

sys.dont_write_bytecode = True  # leave the source tree as it is
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from command import CommandTest, has_library
from test_poisson import QUICK, npy, wave


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
        for content, words in ((b"no array", ["in.npy:1: not a cube file (nor .npy or HDF5"]),
                               (b"", ["in.npy: the file is empty"]),
                               (b"PK\3\4", ["damaged zip archive: it has no directory"]),
                               (b"BZh9", ["packed by bzip2"]), (b"\xfd7zXZ\0", ["packed by xz"]),
                               (b"CDF\2", ["NetCDF"]), (b"MATLAB 5.0 MAT-file", ["MATLAB"]),
                               (" t\n c\n".encode("utf-16"), ["text in UTF-16"]),
                               (b"\x7fELF\0", ["nor any other text"])):
            self.refuse(words, *solve, content=content)
        self.refuse(["in.npy", "holds 952 bytes"], *solve, content=npy(good)[:-8])
        self.refuse(["in.npy", "2 axes"], *solve, content=npy(good, (6, 20)))
        self.refuse(["in.npy", "no elements"], *solve, content=npy([], (0, 1, 1)))
        self.refuse(["in.npy", "type <M8: give numbers"], *solve,
                    content=npy([1] * 120).replace(b"<f8", b"<M8"))
        for bad in (math.nan, math.inf):
            values = list(good)
            values[2 * 20 + 3 * 5 + 4] = bad
            self.refuse(["in.npy", "[2, 3, 4]", "no finite number"], *solve, content=npy(values))

    def test_problems(self):
        solve = ["in.npy", "-o", "out.npy", *self.LENGTHS]
        content = npy([1.0] * 120)
        self.refuse(["in.npy", "net charge of 6", "background"], *solve, content=content)
        self.refuse(["6 x 4 x 5 cells need", "1.0 KiB are allowed"], *solve, "--memory", "1K")
        self.refuse(["three free axes"], *solve, "--kernel", "integrated")
        self.refuse(["three periodic axes"], *solve, "--boundary", "free", "--symbol",
                    "second-order")
        self.refuse(["no screening"], *solve, "--boundary", "free", "--kernel", "point",
                    "--screening", "1")
        self.refuse(["--background", "free axis holds"], *solve, "--boundary", "free,periodic,periodic",
                    "--background")
        self.refuse(["--background or --screening out"], *solve, "--background", "--screening", "2")

    def test_too_little_memory(self):
        self.refuse(["out of memory", "12288 x 12288 x 12288", "are free"], "bench", "--n",
                    "12288", "--boundary", "free", status=3)

    def test_what_ranks_take_together_is_foreseen(self):
        """One rank fits into the 8 GiB of a sim, two with what they exchange don't."""
        self.write("in.cube", " t\n c\n 0 0 0 0\n 600 1 0 0\n 600 0 1 0\n 600 0 0 1\n")
        for devices, words, status in (("sim", ["too few values"], 2),
                                       ("sim,sim", ["out of memory: in.cube: 600 x 600 x 600 cells",
                                                    "are free", "--precision single"], 3)):
            self.assert_refused(["poisson", "in.cube", "-o", "out.npy", "--device", devices],
                                words, status=status)

    def test_what_reading_takes_is_foreseen(self):
        """The text of a cube, however it is packed, beside its numbers."""
        text = " t\n c\n 0 0 0 0\n 30 1 0 0\n 30 0 1 0\n 30 0 0 1\n" + 27000 * f"{1:48.15e}\n"
        self.write("in.cube", text)
        self.write("in.cube.gz", gzip.compress(text.encode()))
        for path in ["in.cube"] + (["in.cube.gz"] if has_library("zlib") else []):
            solve = ["poisson", path, "--background", "--output", "energy", "--precision", "single"]
            self.assert_refused([*solve, "--memory", "1500K"],
                                [path, "30 x 30 x 30 cells need 1.5 MiB"])
            result = self.run_command(*solve, "--memory", "1510K")
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_options(self):
        self.refuse(["give a file, verify, bench or study"])
        self.refuse(["-o OUTPUT is missing"], "in.npy", *self.LENGTHS)
        self.write("in.npy", npy([1.0] * 120))
        self.refuse(["--lengths is missing", "of in.npy"], "in.npy", "-o", "out.npy")
        os.remove(self.path("in.npy"))
        for name in ("in.txt", "verfy", "in.npy.gz", ".npy"):
            self.refuse([name + ": cannot open: No such file", "give a .npy, HDF5 or cube file", "or verify"],
                        name, "-o", "out.npy")
        for name in ("out.txt", "out", "-", "out.npy.", "cube"):
            self.refuse(["-o " + name + ": give a name that ends in .npy, .h5"], "in.npy",
                        *self.LENGTHS, "-o", name)
        self.refuse(["-o goes with a file only"], "verify", "-o", "out.npy")
        self.refuse(["--n: the waves", "24 cells along each axis"], "verify", "--n", "24,24,23")
        self.refuse(["--n goes with verify, bench and study only"], "in.npy", "--n", "8")
        self.refuse(["--figure goes with a file and study only"], "verify", "--figure", "a.svg")
        for option, value, task in (("--precision", "single", "verify"),
                                    ("--boundary", "periodic", "verify"),
                                    ("--background", None, "verify"), ("--repeat", "8", "in.npy"),
                                    ("--sign", "charge", "bench"), ("--background", None, "bench"),
                                    ("--sampling", "centres", "bench"),
                                    ("--figure", "none.svg", "bench"),
                                    ("--nuclei", "none", "study")):
            self.refuse([option + " goes with"], task, option, *([value] if value else []))
        self.refuse(["one argument too many"], "verify", "bench")
        self.refuse(["say of what, segments or scaling"], "study")
        self.refuse(["did you mean segments?"], "study", "segment")
        self.refuse(["one rank exchanges nothing"], "study", "scaling", "--n", "8")
        self.refuse(["what study segments varies"], "study", "segments", "--plan", "overlap=on")
        self.refuse(["what study scaling varies"], "study", "scaling", "--plan", "ranks=1x2")
        self.refuse(["--csv goes with study only"], "bench", "--csv", "none.csv")
        self.refuse([".svg, .png or .pdf"], "study", "segments", "--figure", "none.jpg")
        self.refuse(["one rank exchanges nothing: take several"], "bench", "--n", "8", "--plan",
                    "exchange=staged")
        for option, value, word in (("--lengths", "1,2", "three numbers"),
                                    ("--lengths", "1,2,-3", "three numbers"),
                                    ("--lengths", "1,2,3,4", "three numbers"),
                                    ("--lengths", "1,2,3,", "three numbers"),
                                    ("--boundary", "open", "periodic or free"),
                                    ("--boundary", "free,free", "periodic or free"),
                                    ("--equation", "plan", "did you mean plain?"),
                                    ("--symbol", "fourth", "spectral or second-order"),
                                    ("--kernel", "point2", "did you mean point?"),
                                    ("--precision", "half", "single or double"),
                                    ("--screening", "-1", "0 up"),
                                    ("--screening", "1e-999", "0 up"),
                                    ("--screening", "1e999", "0 up"),
                                    ("--lengths", "1,1,1e-999", "three numbers"),
                                    ("--memory", "some", "--memory"),
                                    ("--output", "out.npy", "potential, field or energy"),
                                    ("--sampling", "center", "did you mean centres?"),
                                    ("--nuclei", "drop", "none or add"),
                                    ("--electrons", "none", "neutral"),
                                    ("--n", "0", "whole numbers"),
                                    ("--n", "8,8", "whole numbers"),
                                    ("--n", "8,8,8,", "whole numbers"),
                                    ("--plan", "ranks=4294967297x1", "give ranks=PxQ"),
                                    ("--plan", "ranks=1x1x", "give ranks=PxQ"),
                                    ("--plan", "segments=4294967297", "give ranks=PxQ"),
                                    ("--plan", "form=", "form=lines, plain or strided"),
                                    ("--repeat", "0", "whole number")):
            self.refuse([option, word], "bench", option, value)


class Suite(CommandTest):
    def test_the_form_is_chosen(self):
        for form, lines, strided in (("lines", True, False), ("plain", False, False),
                                     ("strided", False, True)):
            result = self.run_command("poisson", "bench", "--device", "sim", "--n", "8", "--repeat", "1",
                                      "--plan", "form=" + form, "--json", "form.json")
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            results = self.read_json("form.json")["results"]
            self.assertEqual((results["lines"], results["strided"]), (lines, strided))
        self.assert_refused(["poisson", "bench", "--device", "cpu", "--n", "8", "--boundary", "free",
                             "--plan", "form=strided"], ["take three periodic axes for strided"])
        bench = ["poisson", "bench", "--n", "22", "--repeat", "1", "--plan"]
        self.assert_refused([*bench, "form=lines", "--device", "sim"], ["22, 22 and 11", "leave the form"])
        free = ["poisson", "bench", "--device", "sim,sim", "--n", "8", "--boundary", "free", "--repeat",
                "1", "--json", "form.json", "--plan"]
        self.assert_refused([*free, "form=lines,ranks=1x2"], ["1 x 2 ranks of this box have not"])
        for more in ("", ",measure=on"):
            result = self.run_command(*free, "form=lines" + more)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            results = self.read_json("form.json")["results"]
            self.assertEqual((results["lines"], results["ranks"]), (True, [1, 1]))
        for form in ("lines", "plain"):
            self.assert_refused([*bench, "form=" + form, "--device", "cpu"], ["are a GPU's"])
        self.assert_refused([*bench, "overlap=on,segments=1", "--device", "sim"], ["one segment"])

    def test_all_is_well(self):
        result = self.run_command("poisson", "verify", "--device", "cpu", "--json", "verify.json")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        report = self.read_json("verify.json")
        self.assertTrue(report["verified"])
        self.assertGreaterEqual(len(report["results"]["cases"]), 14)
        self.assertEqual(result.stdout.count(" ok\n"), len(report["results"]["cases"]))
        self.assertIsNone(report["parameters"]["n"])

    def test_waves_of_a_grid(self):
        result = self.run_command("poisson", "verify", "--n", "25,24,90", "--json", "verify.json",
                                  "--device", "cpu")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        report = self.read_json("verify.json")
        self.assertEqual(report["parameters"]["n"], [25, 24, 90])
        cases = {case["name"]: case for case in report["results"]["cases"]}
        for precision, bound in (("double", 1e-13), ("single", 1e-6)):
            case = cases[f"periodic waves 25x24x90, {precision}, L2"]
            self.assertTrue(case["ok"])
            self.assertEqual(case["bound"], bound)
            self.assertGreater(case["value"], 0)

    def test_fewer_ranks_are_told(self):
        source, _ = wave((3, 1, 2))
        self.write("few.npy", npy(source))
        for devices, plan, told in (("cpu,cpu", "ranks=1x1", "1 x 1 of 2, without the others"),
                                    ("cpu,cpu,cpu", "ranks=1x2", "1 x 2 of 3, without the others"),
                                    ("cpu", "form=strided", None)):
            result = self.run_command("poisson", "few.npy", "-o", "out.npy", "--lengths", "3,1,2",
                                      "--device", devices, "--plan", plan)
            self.assertEqual(result.returncode, 0, result.stderr)
            lines = [line for line in result.stdout.splitlines() if line.startswith("ranks ")]
            self.assertEqual(len(lines), told is not None)
            self.assertIn(told or "", "".join(lines))

    def test_a_key_of_the_plan_once(self):
        for plan, key in (("segments=1,segments=2", "segments"),
                          ("ranks=1x2,overlap=on,ranks=2x1", "ranks")):
            result = self.run_command("poisson", "bench", "--n", "8", "--plan", plan)
            self.assertEqual(result.returncode, 2)
            self.assertEqual(result.stderr.strip(),
                             f"tesela: error: --plan '{plan}': {key} is given twice: leave one out")

    def test_the_suite_takes_a_plan(self):
        verify = ["poisson", "verify", "--device", "cpu,cpu"]
        self.assert_refused([*verify, "--memory", "100"], ["are allowed"])
        for plan in ("ranks=2x2", "ranks=2x2,form=strided"):
            result = self.run_command(*verify, "--plan", plan)
            self.assertEqual(result.returncode, 2)
            self.assertIn("pencils of 2 x 2 ranks", result.stderr)
            self.assertNotIn("form", result.stderr)


if __name__ == "__main__":
    unittest.main()
