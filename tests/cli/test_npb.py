# ctest: full with sanitizers
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

    def test_ranks(self):
        """The same answers on several devices."""
        for name in ("ep", "cg"):
            answers = []
            for devices in ("cpu", "cpu,cpu,cpu"):
                result = self.run_command("npb", name, "--device", devices, "--threads", "1",
                                          "--json", "npb.json")
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual(result.stdout.count("Benchmark Completed"), 1)
                with open(self.path("npb.json"), encoding="utf-8") as file:
                    report = json.load(file)
                self.assertEqual((report["device"], report["ranks"]),
                                 (devices, len(devices.split(","))))
                answers.append({name: value for name, value in report["results"].items()
                                if name not in ("seconds", "setup", "bring", "mops")})
            self.assertEqual(*answers)

    def run_ladder(self, *arguments):
        result = self.run_command("npb", *arguments, "--threads", "1", "--json", "ladder.json")
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(self.path("ladder.json"), encoding="utf-8") as file:
            report = json.load(file)
        self.assertEqual((report["command"], report["verified"]), ("npb ladder", True))
        return result.stdout, report

    def rows(self, table):
        return {row["name"]: row for row in table["versions"]}

    def test_ladder_on_the_cpu(self):
        printed, report = self.run_ladder("ladder", "cg", "--class", "s,W", "--device", "cpu",
                                          "--repeat", "3")
        tables = report["results"]["tables"]
        self.assertEqual([table["class"] for table in tables], ["S", "W"])
        for table in tables:
            rows = self.rows(table)
            self.assertEqual(list(rows), ["serial", "openmp", "tesela"])
            self.assertEqual(rows["serial"]["over_one_core"], 1)
            for row in rows.values():
                self.assertTrue(row["verified"])
                self.assertLess(row["error"], 1e-11)
                for clock in (row["compute"], row["thesis"]):
                    self.assertLessEqual(clock["least"], clock["mean"])
                    self.assertGreater(clock["spread"], 0)
                self.assertAlmostEqual(row["over_one_core"] * row["compute"]["mean"],
                                       rows["serial"]["compute"]["mean"])
        self.assertRegex(printed, r"(?m)^tesela +tesela npb cg +\d.* verified$")
        self.assertIn("Speed-up over one core", printed)
        self.assertIn("V1 to V9: not run", printed)

    def test_variant(self):
        printed, report = self.run_ladder("ep", "--variant", "v2,8", "--device", "sim", "--timing",
                                          "thesis")
        rows = self.rows(report["results"]["tables"][0])
        self.assertEqual(list(rows), ["V2", "V8"])
        self.assertIsNone(rows["V2"]["over_one_core"])
        self.assertIn("V8 today: ", printed)
        self.assertGreater(rows["V2"]["thesis"]["mean"], rows["V2"]["compute"]["mean"])
        _, report = self.run_ladder("cg", "--repeat", "2", "--device", "cpu")
        self.assertEqual(list(self.rows(report["results"]["tables"][0])), ["tesela"])

    def test_variant_of_ranks(self):
        _, report = self.run_ladder("cg", "--variant", "V9", "--device", "sim,sim")
        self.assertEqual(report["ranks"], 2)
        self.assertEqual(list(self.rows(report["results"]["tables"][0])), ["V9"])
        _, report = self.run_ladder("ladder", "ep", "--variant", "tesela,ranks", "--device",
                                    "cpu,cpu")
        self.assertEqual(list(self.rows(report["results"]["tables"][0])), ["tesela", "ranks"])

    def test_help(self):
        for arguments in (["npb", "--help"], ["npb", "-h"], ["help", "npb"],
                          ["npb", "ladder", "--help"]):
            result = self.run_command(*arguments)
            self.assertEqual(result.returncode, 0)
            ladder = "ladder " if "ladder" in arguments else ""
            self.assertIn(f"Usage: tesela npb {ladder}BENCHMARK", result.stdout)
        result = self.run_command("npb", "ep", "--help")
        self.assertEqual(result.returncode, 0)
        for word in ("Usage: tesela npb ep", "--class", "--device", "Examples:"):
            self.assertIn(word, result.stdout)
        self.assertIn("Usage: tesela npb cg", self.run_command("npb", "cg", "--help").stdout)
        self.assertIn("--variant", self.run_command("npb", "ladder", "cg", "--help").stdout)
        self.assertEqual(self.run_command("npb").returncode, 2)
        self.assertEqual(self.run_command("npb", "ladder").returncode, 2)

    def test_refused(self):
        self.assert_refused(["npb", "epp"], ["'epp'", "did you mean ep?"])
        self.assert_refused(["npb", "cg", "--class", "F"],
                            ["--class 'F'", "CG has the classes SWABCDE"])
        self.assert_refused(["npb", "lu"], ["'lu'", "tesela npb --help"])
        self.assert_refused(["npb", "ladder", "eq"], ["'eq'", "did you mean ep?"])
        self.assert_refused(["npb", "ep", "--class", "S,W"], ["--class", "tesela npb ladder"])
        self.assert_refused(["npb", "ladder", "cg", "--class", "S,,W"], ["--class 'S,,W'"])
        self.assert_refused(["npb", "cg", "--variant", "V10"], ["--variant 'V10'", "V1 to V9"])
        self.assert_refused(["npb", "cg", "--variant", "1,"], ["--variant ''"])
        self.assert_refused(["npb", "ep", "--variant", "V1", "--device", "cpu"],
                            ["cpu: version V1 of EP does not run there"])
        self.assert_refused(["npb", "cg", "--repeat", "2", "--profile"], ["--profile"])
        self.assert_refused(["npb", "ep", "--repeat", "0"], ["--repeat '0'"])
        self.assert_refused(["npb", "ep", "--timing", "wall"], ["--timing 'wall'", "thesis"])
        self.assert_refused(["npb", "ladder", "ep", "--class", "F"], ["class 'F'"])
        self.assert_refused(["npb", "ladder", "ep", "--device", "cpu,sim"],
                            ["cpu and sim", "one kind"])
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
