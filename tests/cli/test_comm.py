"""tesela comm bench: the table, its files, and command lines that make no sense."""

import csv
import json
import os
import sys
import unittest

sys.dont_write_bytecode = True  # leave the source tree as it is
from command import LIGAND, RECEPTOR, TESELA, CommandTest

QUICK = ["comm", "bench", "--most", "1K", "--repeats", "1"]
HAS_MPI = os.path.exists(os.path.join(os.environ.get("TESELA_PLUGIN_PATH")
                                      or os.path.dirname(TESELA), "libtesela_mpi.so"))
OPERATIONS = {"barrier", "broadcast", "all-reduce", "gather to all", "all-to-all", "ring exchange",
              "one way", "counters", "2-value all-reduce"}


class Bench(CommandTest):
    def measure(self, *arguments):
        """Run, and return the rows of the CSV file."""
        result = self.run_command(*QUICK, "--csv", "out.csv", *arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        with open(self.path("out.csv"), encoding="ascii", newline="") as file:
            return result.stdout, list(csv.DictReader(file))

    def assert_sane(self, rows, ranks):
        self.assertEqual({row["operation"] for row in rows}, OPERATIONS)
        link = [float(row["bytes_per_second"]) for row in rows if row["operation"] == "one way"][-1]
        for row in rows:
            seconds, sent = float(row["seconds"]), int(row["sent_bytes"])
            self.assertEqual(int(row["ranks"]), ranks)
            self.assertTrue(0 < seconds < 60, row)
            self.assertAlmostEqual(float(row["bytes_per_second"]) * seconds, sent,
                                   delta=1e-4 * sent)
            self.assertAlmostEqual(float(row["share_of_link"]) * link,
                                   float(row["bytes_per_second"]), delta=0.01 * link)
        sizes = {row["message_bytes"] for row in rows if row["operation"] == "all-to-all"}
        self.assertEqual(sizes, {"16", "64", "256", "1024"})
        sent = {int(row["sent_bytes"]) for row in rows
                if row["operation"] == "all-to-all" and row["message_bytes"] == "256"}
        self.assertEqual(sent, {256 * (ranks - 1)})

    def test_threads(self):
        for ranks in (2, 3):
            printed, rows = self.measure("--ranks", str(ranks))
            self.assert_sane(rows, ranks)
            self.assertIn(f"{ranks} ranks: threads, host memory", printed)
            self.assertEqual(printed.count("all-to-all"), 4)

    def test_devices(self):
        printed, rows = self.measure("--device", "sim,sim:reversed")
        self.assert_sane(rows, 2)
        self.assertIn("threads, sim memory", printed)
        result = self.run_command(*QUICK, "--device", "sim,sim:reversed", "--json", "-")
        report = json.loads(result.stdout)
        self.assertEqual(report["device"], "sim,sim:reversed")
        self.assertEqual([rank["device"] for rank in report["results"]["ranks"]],
                         ["sim", "sim:reversed"])
        self.assertTrue(report["model"])

    def test_one_rank_has_no_link(self):
        _, rows = self.measure("--ranks", "1")
        self.assertEqual({row["operation"] for row in rows}, OPERATIONS - {"one way"})
        self.assertEqual({float(row["share_of_link"]) for row in rows}, {0.0})

    def test_figure_and_json(self):
        result = self.run_command(*QUICK, "--figure", "out.svg", "--json", "-")
        self.assertEqual(result.returncode, 0)
        self.assertIn("all-reduce", result.stderr)  # the table makes way
        report = json.loads(result.stdout)
        self.assertEqual((report["command"], report["ranks"]), ("comm bench", 2))
        self.assertEqual(report["device"], "cpu,cpu")
        with open(self.path("out.svg"), encoding="utf-8") as file:
            self.assertIn("<svg", file.read())


    def test_csv_on_standard_output(self):
        result = self.run_command(*QUICK, "--csv", "-")
        self.assertEqual(result.returncode, 0)
        rows = list(csv.DictReader(result.stdout.splitlines()))
        self.assertEqual({row["operation"] for row in rows}, OPERATIONS)
        self.assertIn("all-reduce", result.stderr)  # the table makes way
        self.assertEqual(os.listdir(self.folder), [])


class Wrong(CommandTest):
    def test_command_line(self):
        self.assert_refused(["comm"], ["tesela comm bench"])
        self.assert_refused(["comm", "ping"], ["'ping'", "bench"])
        self.assert_refused(["comm", "bench", "bench"], ["'bench'"])
        self.assert_refused([*QUICK, "--ranks", "0"], ["--ranks '0'", "1 to 64"])
        self.assert_refused([*QUICK, "--most", "3"], ["--most '3'"])
        self.assert_refused([*QUICK, "--repeats", "no"], ["--repeats 'no'"])
        self.assert_refused([*QUICK, "--path", "tcp"], ["--path 'tcp'", "nccl", "cuda-aware", "staged",
                                                       "auto"])
        self.assert_refused([*QUICK, "--path", "staged"], ["--path", "mpirun"])
        self.assert_refused([*QUICK, "--ranks", "2", "--device", "cpu,cpu,cpu"],
                            ["--ranks 2", "cpu,cpu,cpu", "3 devices"])
        os.environ["TESELA_MPI_PATH"] = "tcp"
        self.addCleanup(os.environ.pop, "TESELA_MPI_PATH", None)
        self.assert_refused(QUICK, ["TESELA_MPI_PATH=tcp", "nccl"])
        del os.environ["TESELA_MPI_PATH"]
        self.assert_refused([*QUICK, "--csv", "-", "--json", "-"], ["--csv -", "--json -"])
        self.assert_refused([*QUICK, "--profile"], ["--profile", "comm bench"])
        self.assert_refused([*QUICK, "--csv", "no/such/file"], ["--csv", "no/such"])

    def test_messages_that_do_not_fit(self):
        """Before anything is taken: a sim has 8 GiB."""
        self.assert_refused(["comm", "bench", "--device", "sim,sim", "--most", "4G"],
                            ["out of memory: messages of 4.0 GiB among 2 ranks need", "are free",
                             "a smaller --most"], status=3)

    def test_launcher_of_another_mpi(self):
        """Its processes are alone, each; none must take itself for the whole."""
        if not HAS_MPI:
            self.skipTest("this build has no MPI")
        os.environ["OMPI_COMM_WORLD_SIZE"] = "3"
        self.addCleanup(os.environ.pop, "OMPI_COMM_WORLD_SIZE")
        self.assert_refused(QUICK, ["OMPI_COMM_WORLD_SIZE is 3", "this process is alone"], status=3)

    def test_srun_without_mpi(self):
        """Its processes are alone, each; the first says so for all."""
        for name, value in (("SLURM_STEP_NUM_TASKS", "4"), ("SLURM_PROCID", "0")):
            os.environ[name] = value
            self.addCleanup(os.environ.pop, name)
        said = ["SLURM_STEP_NUM_TASKS is 4", "this process is alone", "srun --mpi=pmix", "mpirun"]
        pair = [RECEPTOR, LIGAND, "--grid", "32", "--surface", "3.5", "--rotations", "spiral:2"]
        for command in (QUICK, ["dock", *pair, "--score", "ftdock", "-o", "out"],
                        ["dock", "ladder", *pair],
                        ["npb", "ep", "--class", "S"], ["solve", "nowhere.mtx"],
                        ["poisson", "bench", "--n", "16", "--repeat", "1"]):
            self.assert_refused([*command, "--device", "cpu"], said, status=3)
        self.assertFalse(os.path.exists(self.path("out")))
        os.environ["SLURM_PROCID"] = "3"
        result = self.run_command(*QUICK)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (3, "", ""))
        os.environ["SLURM_STEP_NUM_TASKS"] = "1"
        self.assertEqual(self.run_command(*QUICK).returncode, 0)
        if HAS_MPI:  # PMI, which the MPI at hand does not take
            os.environ["SLURM_STEP_NUM_TASKS"] = "4"
            os.environ["PMI_RANK"] = "0"
            self.addCleanup(os.environ.pop, "PMI_RANK")
            self.assert_refused(QUICK, said, status=3)

    def test_devices(self):
        self.assert_refused([*QUICK, "--device", "gpu"], ["unknown device 'gpu'"])
        self.assert_refused([*QUICK, "--device", "sim,cpu"], ["--device sim,cpu", "of one kind"])
        self.assert_refused([*QUICK, "--device", "cuda:97-98"], ["cuda:9"], status=3)


if __name__ == "__main__":
    unittest.main()
