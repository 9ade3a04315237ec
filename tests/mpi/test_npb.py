"""EP and CG by MPI ranks: the answers of one rank, and the end of all when one fails."""

import json
import os
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True  # leave the source tree as it is
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from command import TESELA, CommandTest  # noqa: E402
from test_dock import has_mpi, options  # noqa: E402


class Benchmarks(CommandTest):
    def launch(self, count, *arguments, status=0):
        """Run a benchmark; its report, or what it says where it fails."""
        result = subprocess.run(
            ["mpirun", *options(), "-n", str(count), TESELA, "npb", *arguments, "--threads", "1",
             "--json", "npb.json"],
            cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, check=False, timeout=120)
        self.assertEqual(result.returncode, status, result.stderr)
        if status != 0:
            return result.stderr
        self.assertEqual(result.stdout.count("Benchmark Completed"), 1)  # one of them tells
        with open(self.path("npb.json"), encoding="utf-8") as file:
            report = json.load(file)
        self.assertEqual((report["ranks"], report["verified"]), (count, True))
        return report

    def answers(self, report):
        return {name: value for name, value in report["results"].items()
                if name not in ("seconds", "setup", "bring", "mops")}

    def test_ep(self):
        alone = self.answers(self.launch(1, "ep", "--device", "cpu"))
        for count in (2, 3, 4, 7):
            report = self.launch(count, "ep", "--device", "cpu,sim" if count == 2 else "cpu")
            self.assertEqual(self.answers(report), alone)

    def test_cg(self):
        alone = self.answers(self.launch(1, "cg", "--device", "cpu"))
        for count in (2, 3, 4, 7):
            report = self.launch(count, "cg", "--device", "cpu")
            self.assertEqual(self.answers(report), alone)
            self.assertEqual(report["device"], ",".join(["cpu"] * count))

    @unittest.skipUnless(os.environ.get("TESELA_FULL"), "takes a while: run-tests --full has it")
    def test_cg_on_device_memory(self):
        report = self.launch(2, "cg", "--device", "sim")
        self.assertEqual(report["results"]["nonzeros"], 78148)
        self.assertLess(report["results"]["cases"][0]["value"], 1e-12)

    def test_refused(self):
        errors = self.launch(3, "cg", "--device", "cpu,sim", status=2)
        self.assertEqual(errors.count("tesela: error: "), 1, errors)
        self.assertIn("rank 1: CG's ranks are on 'cpu' and on 'sim'", errors)

    def test_ranks_that_begin_anew(self):
        """Without a wait policy each rank's command is started twice, as one process."""
        kept = {name: os.environ.pop(name, None) for name in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")}
        try:
            self.assertTrue(self.launch(2, "ep", "--class", "S")["verified"])
        finally:
            os.environ.update({name: value for name, value in kept.items() if value is not None})


if __name__ == "__main__":
    if not has_mpi():
        print("skipped: there is no mpirun, or this build has no MPI")
        sys.exit(77)
    unittest.main()
