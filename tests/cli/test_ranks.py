# ctest: cost 60, full with sanitizers
"""Docking on several devices, each a rank that is a thread: the same files, checkpoints that fit any
number of ranks, interrupts."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True  # leave the source tree as it is
from command import LIGAND, RECEPTOR, SMALL, TESELA, ReferenceTest, contents, gpus

DEVICES = ("cpu", "cpu,cpu", "cpu,sim,cpu", "sim,sim:reversed,sim:strided", "cpu,cpu,cpu,cpu",
           "cpu,cpu,sim,cpu,cpu,cpu,cpu")


class Ranks(ReferenceTest):
    def report(self, folder):
        with open(self.path(folder, "run.json"), encoding="utf-8") as file:
            return json.load(file)

    def checkpoints(self, folder):
        names = os.listdir(self.path(folder)) if os.path.isdir(self.path(folder)) else []
        return sorted(name for name in names if name.startswith("checkpoint"))

    def stop_in_search(self, folder, number, *arguments):
        """Send a signal once two ranks have kept something."""
        process = self.start(folder, *arguments)
        while process.poll() is None:
            kept = [name for name in self.checkpoints(folder)
                    if os.path.getsize(self.path(folder, name)) > 500]
            if len(kept) > 1:
                process.send_signal(number)
                break
            time.sleep(0.001)
        _, errors = process.communicate()
        return process.returncode, errors

    def test_same_files(self):
        for devices in DEVICES:
            result = self.dock("out", "--device", devices)
            self.assert_same("out", devices)
            report = self.report("out")
            names = devices.split(",")
            ranks = report["results"]["ranks"]
            self.assertEqual(report["device"], devices)
            self.assertEqual(report["ranks"], len(names))
            self.assertEqual([rank["device"] for rank in ranks], names)
            self.assertEqual(sum(rank["rotations"] for rank in ranks), 600)
            for rank in ranks:
                self.assertEqual(rank["rate"] > 0, rank["rotations"] > 0)
            if len(names) > 1:
                self.assertIn(f"{len(names)} ranks: ", result.stderr)
                self.assertIn(f"on {len(names)} ranks", result.stdout)
            self.assertLessEqual(report["results"]["cases"][0]["value"], 0.25)

    def test_same_files_of_gpus(self):
        """GPUs, and a CPU beside them; stopped on some and gone on with on others."""
        found = gpus()
        if not found:
            self.skipTest("there is no GPU")
        mixed = ",".join([*found, "cpu"])
        for devices in (found[0], mixed, ",".join(3 * found[:1] + ["cpu"])):
            self.dock("out", "--device", devices)
            self.assert_same("out", devices)
        self.stop_in_search("stopped", signal.SIGTERM, "--device", "cpu,cpu,cpu", "--batch", "1")
        self.dock("stopped", "--resume", "--device", mixed)
        self.assert_same("stopped", mixed)

    def test_processors_are_shared_out(self):
        """Two ranks together take as many threads as one alone."""
        self.dock("one", *SMALL[:6], "--device", "cpu", small=False)
        self.dock("two", *SMALL[:6], "--device", "cpu,cpu", small=False)
        alone = self.report("one")["results"]["ranks"][0]["threads"]
        shared = [rank["threads"] for rank in self.report("two")["results"]["ranks"]]
        if "OMP_NUM_THREADS" in os.environ:
            self.assertEqual(shared, [alone, alone])
        else:
            self.assertEqual(shared, [max(1, alone // 2)] * 2)

    def test_rescore(self):
        self.dock("list")
        for number, devices in enumerate(("cpu", "cpu,sim,cpu")):
            self.dock(f"out{number}", "--rescore", "list/ftdock_global.dat", "--device", devices,
                      small=False)
        self.assertEqual(contents(self.path("out0")), contents(self.path("out1")))

    def test_killed_at_random_moments(self):
        """Whatever ranks the runs before had that were killed, those of the next go on from it."""
        self.kill_at_random_moments("--device", DEVICES, ["1", "2", "7"], kills=6, longest=1.5)

    def test_interrupted_and_resumed_with_other_ranks(self):
        for devices in ("cpu,cpu,cpu", "cpu", "cpu,sim"):
            status, errors = self.stop_in_search("out", signal.SIGINT, "--device", "cpu,sim,cpu",
                                                 "--batch", "1")
            self.assertEqual(status, 128 + signal.SIGINT, errors)
            self.assertEqual(errors.count("interrupted after"), 1)
            self.assertNotIn("error", errors)
            told = int(errors.split("interrupted after ")[1].split()[0])
            self.assertGreater(len(self.checkpoints("out")), 1)
            errors = self.dock("out", "--resume", "--device", devices).stderr
            self.assertIn(f"{told} of 600 rotations are done", errors)
            self.assert_same("out")
            ranks = self.report("out")["results"]["ranks"]
            self.assertEqual(sum(rank["rotations"] for rank in ranks), 600 - told)
            shutil.rmtree(self.path("out"))

    def test_without_resume_all_checkpoints_are_replaced(self):
        self.stop_in_search("out", signal.SIGTERM, "--device", "cpu,cpu,cpu")
        errors = self.dock("out").stderr
        self.assertIn("replaces the checkpoint of an unfinished run", errors)
        self.assert_same("out")

    def test_checkpoints_left_beside_complete_results(self):
        self.dock("out")
        self.stop_in_search("other", signal.SIGKILL, "--device", "cpu,cpu,cpu")
        for name in self.checkpoints("other"):
            shutil.copy(self.path("other", name), self.path("out", name))
        self.assertIn("nothing to do", self.dock("out", "--resume", "--device", "cpu,cpu").stderr)
        self.assert_same("out")

    def test_resume_of_another_run_is_refused(self):
        self.stop_in_search("out", signal.SIGTERM, "--device", "cpu,cpu,cpu")
        before = contents(self.path("out"))
        result = self.dock("out", "--resume", "--core", "-7", "--quiet", "--device", "cpu,cpu",
                           status=2)
        self.assertRegex(result.stderr, r"^tesela: error: .*checkpoint.tsl.*\n$")
        self.assertEqual(contents(self.path("out")), before)

    def test_checkpoint_of_a_rank_that_cannot_be_made(self):
        """Of rank 1's trouble all ranks hear, and one tells."""
        os.makedirs(self.path("out", "checkpoint.1.tsl"))
        result = self.dock("out", "--quiet", "--device", "cpu,sim,cpu", status=2)
        self.assertRegex(result.stderr, r"^tesela: error: rank 1: out/checkpoint.1.tsl: .*\n$")

    def test_bad_devices(self):
        pair = ["dock", RECEPTOR, LIGAND, "-o", "out"]
        for devices, words, status in (("cpu,gpu", ["rank 1: unknown device 'gpu'"], 2),
                                       ("cpu,", ["rank 1: unknown device ''"], 2),
                                       ("cuda:3-1", ["'cuda:3-1'", "backwards", "cuda:1-3"], 2),
                                       ("cpu,cuda:98-99", ["device cuda:9"], 3)):
            self.assert_refused([*pair, "--device", devices], words, status)

    def test_bound_too_small(self):
        result = self.run_command("dock", RECEPTOR, LIGAND, "-o", "out", *SMALL, "--quiet",
                                  "--device", "cpu,cpu", "--memory", "10K")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertRegex(result.stderr, r"^tesela: error: a grid of 48 cells needs .*\n$")

    def test_grid_that_does_not_fit(self):
        """Before anything is taken: a sim has 8 GiB."""
        self.assert_refused(["dock", RECEPTOR, LIGAND, "-o", self.path("out"), "--grid", "1024",
                             "--device", "sim,sim"],
                            ["out of memory: a grid of 1024 cells with ", "are free",
                             "a smaller grid or batch"], status=3)

    def test_pipes_are_for_one_rank(self):
        for option in ("--rotations", "--list"):
            pair = [RECEPTOR, LIGAND] if option == "--rotations" else []
            self.assert_refused(["dock", *pair, "-o", self.path("out"), option, "/dev/null",
                                 "--device", "cpu,cpu"],
                                ["/dev/null: a pipe or device cannot be read twice"])

    def test_list(self):
        """Each pair is shared by all ranks; what fails on all is told once, and the rest goes on."""
        self.write("pairs.tsv", f"{RECEPTOR}\t{LIGAND}\ta\nnowhere.pdb\t{LIGAND}\tb\n"
                   f"{RECEPTOR}\t{LIGAND}\tc\n")
        result = self.run_command("dock", "--list", "pairs.tsv", "-o", "list", *SMALL, "--device",
                                  "cpu,sim,cpu")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertEqual(result.stderr.count("tesela: error: b: nowhere.pdb"), 1)
        for name in "ac":
            self.assert_same(os.path.join("list", name))
            self.assertEqual(self.report(os.path.join("list", name))["ranks"], 3)

    def test_interrupted_list(self):
        self.write("pairs.tsv", "".join(f"{RECEPTOR}\t{LIGAND}\t{name}\n" for name in "abc"))
        command = ["dock", "--list", "pairs.tsv", "-o", "list", *SMALL]
        process = subprocess.Popen([TESELA, *command, "--device", "cpu,cpu"], cwd=self.folder,
                                   text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        while process.poll() is None and not self.checkpoints(os.path.join("list", "b")):
            time.sleep(0.001)
        process.terminate()
        _, errors = process.communicate()
        self.assertEqual(process.returncode, 128 + signal.SIGTERM, errors)
        result = self.run_command(*command, "--resume", "--device", "cpu,cpu,cpu")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("a: was complete", result.stdout)
        for name in "abc":
            self.assert_same(os.path.join("list", name), name)


if __name__ == "__main__":
    unittest.main()
