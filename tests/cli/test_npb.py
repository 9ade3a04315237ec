"""tesela npb: what it prints, and what it refuses."""

import json
import re
import sys
import unittest

sys.dont_write_bytecode = True  # leave the source tree as it is
from command import CommandTest


class Benchmarks(CommandTest):
    def run_npb(self, *arguments):
        result = self.run_command("npb", *arguments, "--device", "cpu", "--json", "npb.json")
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(self.path("npb.json"), encoding="utf-8") as file:
            return result.stdout, json.load(file)

    def assert_closing_block(self, printed, name, size, iterations, operation):
        block = printed[printed.index(f" {name} Benchmark Completed."):]
        for key, value in (("Class", "S"), ("Size", size), ("Iterations", iterations),
                           ("Time in seconds", r"[\d.]+"), ("Mop/s total", r"[\d.]+"),
                           ("Operation type", operation), ("Verification", "SUCCESSFUL"),
                           ("Version", r"[\d.]+")):
            self.assertRegex(block, rf"(?m)^ {re.escape(key)} += +{value}$")

    def test_ep(self):
        printed, report = self.run_npb("ep")
        self.assert_closing_block(printed, "EP", 33554432, 0, "Random numbers generated")
        self.assertIn("No. Gaussian pairs = 13176389", printed)
        results = report["results"]
        self.assertEqual((report["verified"], results["class"]), (True, "S"))
        self.assertEqual(results["gaussians"], 13176389)
        self.assertEqual(results["counts"],
                         [6140517, 5865300, 1100361, 68546, 1648, 17, 0, 0, 0, 0])
        self.assertAlmostEqual(results["sx"], -3.247834652034740e3, delta=1e-8)
        self.assertAlmostEqual(results["sy_abs"], 1.051517131857535e7, delta=1e-6)
        self.assertEqual([case["name"] for case in results["cases"]], ["npb_3.3", "npb_3.4"])

    def test_cg(self):
        printed, report = self.run_npb("cg")
        self.assert_closing_block(printed, "CG", 1400, 15, "floating point")
        results = report["results"]
        self.assertEqual((report["verified"], results["class"]), (True, "S"))
        self.assertEqual((results["rows"], results["nonzeros"]), (1400, 78148))
        self.assertAlmostEqual(results["zeta"], 8.5971775078648, delta=1e-12)
        self.assertLess(results["rnorm"], 1e-13)
        self.assertEqual([case["name"] for case in results["cases"]], ["zeta", "nonzeros"])
        self.assertGreaterEqual(report["seconds"]["setup"], results["setup"])

    def test_threads_do_not_matter(self):
        sums = set()
        for threads in ("1", "2", "3"):
            _, report = self.run_npb("ep", "--class", "s", "--threads", threads)
            self.assertEqual(report["parameters"]["threads"], int(threads))
            sums.add(tuple(report["results"][name] for name in ("sx", "sy", "sx_abs", "sy_abs")))
        self.assertEqual(len(sums), 1)

    def test_quiet_and_profile(self):
        result = self.run_command("npb", "ep", "--quiet", "--device", "cpu")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        result = self.run_command("npb", "ep", "--profile", "--device", "cpu")
        self.assertRegex(result.stderr, r"pairs +\d")

    def test_json_on_standard_output_stands_alone(self):
        result = self.run_command("npb", "ep", "--device", "cpu", "--json", "-")
        self.assertEqual(json.loads(result.stdout)["command"], "npb ep")
        self.assertIn("EP Benchmark Completed", result.stderr)

    def test_help(self):
        for arguments in (["npb", "--help"], ["npb", "-h"], ["help", "npb"]):
            result = self.run_command(*arguments)
            self.assertEqual(result.returncode, 0)
            self.assertIn("Usage: tesela npb BENCHMARK", result.stdout)
        result = self.run_command("npb", "ep", "--help")
        self.assertEqual(result.returncode, 0)
        for word in ("Usage: tesela npb ep", "--class", "--device", "Examples:"):
            self.assertIn(word, result.stdout)
        self.assertIn("Usage: tesela npb cg", self.run_command("npb", "cg", "--help").stdout)
        self.assertEqual(self.run_command("npb").returncode, 2)

    def test_refused(self):
        self.assert_refused(["npb", "epp"], ["'epp'", "did you mean ep?"])
        self.assert_refused(["npb", "cg", "--class", "F"],
                            ["--class 'F'", "CG has the classes SWABCDE"])
        self.assert_refused(["npb", "lu"], ["'lu'", "tesela npb --help"])
        self.assert_refused(["npb", "--class", "S"], ["unknown option '--class'"])
        for name in ("G", "SS", "", "3"):
            self.assert_refused(["npb", "ep", "--class", name],
                                [f"--class '{name}'", "EP has the classes SWABCDEF"])
        self.assert_refused(["npb", "ep", "A"], ["'A'", "did you mean --class A?"])
        self.assert_refused(["npb", "ep", "--clas"], ["'--class' needs a value"])
        self.assert_refused(["npb", "ep", "--json", "missing/folder/x"], ["--json", "missing"])
        self.assert_refused(["npb", "ep", "--device", "gpu"], ["gpu"])


if __name__ == "__main__":
    unittest.main()
