"""How tools/gpu-check ends: what was left out makes it incomplete, and that is no success."""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import shutil
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True  # leave the source tree as it is
SOURCE = os.environ.get("TESELA_SOURCE") or os.path.abspath(
    os.path.join(os.path.dirname(__file__), "..", ".."))


class Ending(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tesela-gpu-check-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        path = os.path.join(SOURCE, "tools", "gpu-check")
        loader = importlib.machinery.SourceFileLoader("gpu_check", path)
        self.tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("gpu_check", loader))
        loader.exec_module(self.tool)
        self.tool.BUILD = os.path.join(self.folder, "build")  # where nothing was built
        self.tool.find_cards = lambda: [{"name": "cuda:0", "model": "A card"}]
        self.tool.version_of = lambda command, pattern: None
        os.makedirs(os.path.join(self.tool.BUILD, "tests"))

    def end(self, work, *options):
        """Exit status, what was printed and the report, where `work` is what is done on the card."""
        self.tool.check_and_measure = lambda results, cards: work(results)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            status = self.tool.main(["--built", *options, self.folder])
        last = printed.getvalue().splitlines()[-1]
        with open(last.split(": ")[-1], encoding="utf-8") as file:
            return status, printed.getvalue(), last, json.load(file)

    def test_all_was_done(self):
        status, printed, last, report = self.end(lambda results: results.add_check("a", True, 1))
        self.assertEqual((status, last.split(":")[0]), (0, "passed"))
        self.assertNotIn("left out", printed)
        self.assertTrue(report["passed"] and report["complete"])

    def test_what_is_left_out_is_no_success(self):
        def work(results):
            results.add_check("a", True, 1)
            results.leave_out("b: no time left")
        status, printed, last, report = self.end(work)
        self.assertNotEqual(status, 0)
        self.assertEqual(last.split(":")[0], "incomplete")
        self.assertIn("left out in all: 1\n    b: no time left\n", printed)
        self.assertEqual((report["passed"], report["complete"]), (True, False))

    def test_a_failure_is_told_first(self):
        def work(results):
            results.leave_out("b: no time left")
            results.add_check("a", False, 1)
        status, _, last, report = self.end(work)
        self.assertEqual((status, last.split(":")[0]), (1, "FAILED, and incomplete"))
        self.assertFalse(report["passed"])

    def test_without_test_programs_it_says_how_to_bring_cmocka(self):
        self.tool.run = lambda *arguments, **environment: (0, "")
        status, printed, last, report = self.end(self.tool.run_tests)
        self.assertNotEqual(status, 0)
        self.assertEqual(last.split(":")[0], "incomplete")
        self.assertRegex(printed, r"left out: \d+ test programs: cmocka was not found.*apt install libcmocka-dev")
        self.assertEqual(len(report["left_out"]), 1)

    def test_each_program_that_is_missing_is_named(self):
        self.tool.run = lambda *arguments, **environment: (0, "")
        with open(os.path.join(self.tool.BUILD, "tests", "test_solvers_dock_memory"), "w", encoding="ascii"):
            pass
        status, printed, _, _ = self.end(self.tool.run_tests)
        self.assertNotEqual(status, 0)
        self.assertIn("ok     solvers_dock_memory", printed)
        self.assertIn("left out: blocks_memory: not built", printed)

    def test_sanitizers_that_did_not_run(self):
        shutil_which = self.tool.shutil.which
        self.addCleanup(setattr, self.tool.shutil, "which", shutil_which)
        self.tool.shutil.which = lambda name: "/usr/bin/" + name
        status, printed, last, _ = self.end(lambda results: None, "--sanitize")
        self.assertNotEqual(status, 0)
        self.assertEqual(last.split(":")[0], "incomplete")
        self.assertIn("left out: racecheck of solvers_linsolve_devices: not built; cmocka was not found", printed)


if __name__ == "__main__":
    unittest.main()
