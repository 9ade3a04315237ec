"""`tesela poisson` on ranks, threads and processes: the file of one rank, and its errors, told once."""

import json
import os
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True  # leave the source tree as it is
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli", "poisson"))
from command import TESELA, CommandTest  # noqa: E402
from test_dock import has_mpi, options  # noqa: E402
from test_poisson import npy, parse, wave  # noqa: E402

SOLVES = (["--boundary", "free"], ["--boundary", "free,periodic,free", "--plan", "measure=on"],
          ["--background", "--plan", "segments=2,overlap=off"],
          ["--boundary", "periodic,free,periodic", "--output", "field"])


class Ranks(CommandTest):
    def launches(self, *arguments):
        """(returncode, standard error) of the command on ranks of each kind."""
        commands = [[TESELA, "poisson", *arguments, "--device", "cpu,cpu"],
                    [TESELA, "poisson", *arguments, "--device", "cpu,cpu,cpu"]]
        if has_mpi():
            commands.append(["mpirun", *options(), "-n", "3", TESELA, "poisson", *arguments,
                             "--device", "cpu"])
        for command in commands:
            result = subprocess.run(command, cwd=self.folder, stdin=subprocess.DEVNULL,
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                    timeout=60, check=False)
            yield result, command

    def test_same_file(self):
        source, _ = wave((3, 1, 2))
        self.write("in.npy", npy([value + 0.5 for value in source]))
        for chosen in SOLVES:
            arguments = ["in.npy", "--lengths", "3,1,2", "--quiet", *chosen]
            result = self.run_command("poisson", *arguments, "-o", "one.npy", "--device", "cpu")
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            header, wanted = parse(self.path("one.npy"))
            for result, command in self.launches(*arguments, "-o", "all.npy", "--json", "run.json"):
                self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""),
                                 command)
                found_header, found = parse(self.path("all.npy"))
                self.assertEqual(found_header, header)
                worst = max(abs(a - b) for a, b in zip(found, wanted))
                self.assertLess(worst, 1e-13 * max(map(abs, wanted)), command)
                with open(self.path("run.json"), encoding="utf-8") as file:
                    report = json.load(file)
                ranks = 2 if "cpu,cpu" in command else 3
                self.assertEqual(report["ranks"], ranks)
                pencils = report["results"]["ranks"]
                used = pencils[0] * pencils[1]
                if "measure=on" in chosen:  # fewer may be faster
                    self.assertIn(used, range(1, ranks + 1))
                else:
                    self.assertEqual(used, ranks)
                os.remove(self.path("all.npy"))

    def test_errors(self):
        source, _ = wave((3, 1, 2))
        self.write("in.npy", npy([value + 0.5 for value in source]))
        good = ["in.npy", "--lengths", "3,1,2", "-o", "out.npy"]
        for arguments, words in ((good, "in.npy: has a net charge of 3"),
                                 (["none" + good[0], *good[1:]], "nonein.npy: cannot open"),
                                 ([*good, "--boundary", "free", "--plan", "ranks=2x4"],
                                  "pencils of 2 x 4 ranks are of more than there are, "),
                                 ([*good, "--boundary", "free", "--memory", "100"], " need")):
            for result, command in self.launches(*arguments):
                self.assertEqual(result.returncode, 2, (command, result.stderr))
                told = [line for line in result.stderr.splitlines() if line.startswith("tesela: error")]
                self.assertEqual(len(told), 1, result.stderr)
                self.assertIn(words, told[0])
                self.assertFalse(os.path.exists(self.path("out.npy")))

    def test_bound_of_one_rank(self):
        """It is that rank's alone, and its refusal is the outcome of all."""
        if not has_mpi():
            self.skipTest("there is no mpirun, or this build has no MPI")
        command = [TESELA, "poisson", "bench", "--n", "12", "--repeat", "1", "--device", "cpu"]
        for bound, status in (("1G", 0), ("100", 2)):
            result = subprocess.run(["mpirun", *options(), "-n", "1", *command, ":", "-n", "1",
                                     *command, "--memory", bound], cwd=self.folder,
                                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, text=True, timeout=60, check=False)
            self.assertEqual(result.returncode, status, result.stderr)
            told = [line for line in result.stderr.splitlines() if line.startswith("tesela: error")]
            self.assertEqual(len(told), status // 2, result.stderr)
            self.assertIn("rank 1: a Poisson plan of 12 x 12 x 12, a source" if told else "",
                          "".join(told))

    def test_plans_that_are_none(self):
        for plan in ("overlap=maybe", "ranks=2", "segments=0", "ranks=1x2,", "measure=onx", "form=line", "fast"):
            result = self.run_command("poisson", "bench", "--plan", plan)
            self.assertEqual(result.returncode, 2)
            self.assertIn(f"tesela: error: --plan '{plan}': give ranks=PxQ", result.stderr)

    def test_derived_datatypes(self):
        for plan in ("ranks=3x1,segments=2", "ranks=1x3"):
            for result, command in self.launches("bench", "--n", "12", "--repeat", "2", "--threads",
                                                 "1", "--profile", "--plan",
                                                 plan + ",exchange=datatypes"):
                if command[0] == TESELA:
                    self.assertEqual(result.returncode, 2, result.stderr)
                    continue
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertIn("by derived datatypes", result.stdout)
                self.assertIn("\nexchange ", result.stdout)
                self.assertNotIn("packing", result.stdout)
        result = self.run_command("poisson", "bench", "--n", "8", "--device", "cpu,cpu", "--plan",
                                  "exchange=datatypes")
        self.assertIn("derived datatypes are MPI's", result.stderr)

    def test_studies(self):
        for study in ("segments", "scaling"):
            for result, command in self.launches("study", study, "--n", "12", "--repeat", "1",
                                                 "--threads", "1", "--csv", "out.csv"):
                self.assertEqual(result.returncode, 0, (command, result.stderr))
                self.assertEqual(result.stdout.count("GFLOP/s"), 1)
                os.remove(self.path("out.csv"))

    def test_bench(self):
        for result, _ in self.launches("bench", "--n", "12,8,10", "--boundary", "free", "--repeat",
                                       "2", "--threads", "1"):
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("ranks       1 x ", result.stdout)
            self.assertEqual(result.stdout.count("solve "), 1)


if __name__ == "__main__":
    unittest.main()
