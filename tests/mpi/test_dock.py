# ctest: cost 60, full with sanitizers
"""Docking by MPI ranks: the same files, resumed with other ranks, and the end of all when one fails or
is killed."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True  # leave the source tree as it is
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from command import LIGAND, RECEPTOR, SMALL, SMALL_RANKED, TESELA, ReferenceTest, contents, gpus  # noqa: E402

BOUND = 10  # seconds within which all have ended
LONG = ["--rotations", "spiral:100000", *SMALL[:4], *SMALL[6:]]


def options():
    """What lets mpirun start more ranks than there are processors."""
    version = subprocess.run(["mpirun", "--version"], stdout=subprocess.PIPE, text=True,
                             check=False).stdout
    return ["--allow-run-as-root", "--oversubscribe"] if "Open MPI" in version else []


def has_mpi():
    folder = os.environ.get("TESELA_PLUGIN_PATH") or os.path.dirname(TESELA)
    return shutil.which("mpirun") and os.path.exists(os.path.join(folder, "libtesela_mpi.so"))


class Dock(ReferenceTest):
    def launch(self, *apps):
        """Start mpirun on (ranks, command) pairs."""
        command = ["mpirun", *options()]
        for number, (count, app) in enumerate(apps):
            command += [":"] * (number > 0) + ["-n", str(count), *app]
        return subprocess.Popen(command, cwd=self.folder, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    @staticmethod
    def telling(identity, command):
        """The command, whose process leaves its number in a file."""
        return ["bash", "-c", 'echo $$ >"$1"; shift; exec "$@"', "-", identity, *command]

    def terminate_one(self, identity, launched):
        """SIGTERM for the process that has told its number: all end soon. What they printed."""
        with open(identity, encoding="ascii") as file:
            os.kill(int(file.read()), signal.SIGTERM)
        begun = time.monotonic()
        _, errors = launched.communicate(timeout=60)
        self.assertLess(time.monotonic() - begun, BOUND, errors)
        self.assertEqual(launched.returncode, 128 + signal.SIGTERM, errors)
        return errors

    def command(self, folder, *arguments, receptor=RECEPTOR, small=SMALL):
        return [TESELA, "dock", receptor, LIGAND, "-o", self.path(folder), *small, *arguments]

    def run_ranks(self, count, folder, *arguments):
        process = self.launch((count, self.command(folder, *arguments)))
        _, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, errors)
        return errors

    def is_under_way(self, process, *paths):
        """Is something in all these files before the processes end?"""
        while process.poll() is None:
            if all(os.path.exists(path) and os.path.getsize(path) > 500 for path in paths):
                return True
            time.sleep(0.005)
        return False

    def wait_for(self, process, *paths):
        if not self.is_under_way(process, *paths):
            self.fail(process.communicate()[1])

    def assert_ends(self, process, status, *words):
        """All end soon, with one line that holds the words."""
        begun = time.monotonic()
        _, errors = process.communicate(timeout=60)
        self.assertLess(time.monotonic() - begun, BOUND, errors)
        self.assertEqual(process.returncode, status, errors)
        lines = [line for line in errors.splitlines() if line.startswith("tesela: error: ")]
        self.assertEqual(len(lines), 1, errors)
        self.assertNotIn("tesela: stopped", errors)  # the launcher's SIGTERM after that
        for word in words:
            self.assertIn(word, lines[0])

    def test_same_files(self):
        for count in (1, 2, 3, 4, 7):
            errors = self.run_ranks(count, "out", "--device", "cpu,sim")
            self.assert_same("out", str(count))
            with open(self.path("out", "run.json"), encoding="utf-8") as file:
                report = json.load(file)
            self.assertEqual(report["ranks"], count)
            self.assertEqual(report["device"], ",".join((4 * ["cpu", "sim"])[:count]))
            self.assertEqual(sum(rank["rotations"] for rank in report["results"]["ranks"]), 600)
            self.assertEqual(errors.count("600 rotations"), 1)  # one of them tells

    def test_same_files_of_the_score_that_ranks(self):
        """From 1 to 4 ranks, and gone on with by another number of them."""
        reference = self.run_command("dock", RECEPTOR, LIGAND, "-o", "reference", *SMALL_RANKED)
        self.assertEqual(reference.returncode, 0, reference.stderr)
        expected = contents(self.path("reference"))
        ranked = [TESELA, "dock", RECEPTOR, LIGAND, "-o", "out", *SMALL_RANKED, "--device", "cpu,sim", "--batch", "1"]
        for count in (1, 2, 4):
            process = self.launch((count, ranked))
            _, errors = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 0, errors)
            self.assertEqual(contents(self.path("out")), expected, count)
            shutil.rmtree(self.path("out"))
        process = self.launch((3, ranked))
        if self.is_under_way(process, self.path("out", "checkpoint.tsl")):
            process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        process = self.launch((2, [*ranked, "--resume"]))
        _, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, errors)
        self.assertEqual(contents(self.path("out")), expected)

    def test_same_files_of_gpus(self):
        if not gpus():
            self.skipTest("there is no GPU")
        for count in (1, 2, 3):
            self.run_ranks(count, "out", "--device", ",".join([*gpus(), "cpu"]))
            self.assert_same("out", str(count))

    def test_ladder(self):
        """Versions on one device wait for nobody, those on all split the rotations."""
        process = self.launch((2, [TESELA, "dock", "ladder", RECEPTOR, LIGAND, "--grid", "32",
                                   "--surface", "3.5", "--rotations", "spiral:9", "--poses", "0",
                                   "--no-electrostatics", "--device", "sim,cpu", "--repeat", "1",
                                   "-o", "out", "--json", "out.json"]))
        _, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, errors)
        with open(self.path("out.json"), encoding="utf-8") as file:
            report = json.load(file)
        self.assertIs(report["verified"], True)
        self.assertEqual([len(version["runs"]) for version in report["results"]["versions"]],
                         9 * [1])
        files = contents(self.path("out", "one-core"))
        for name in os.listdir(self.path("out")):
            self.assertEqual(contents(self.path("out", name)), files, name)

    def test_ladder_hears_signals(self):
        """While rank 0 sets up a version alone, and the other waits: soon, leaving nothing behind."""
        os.mkdir(self.path("scratch"))
        identity = self.path("identity")
        ladder = ["env", "TMPDIR=" + self.path("scratch"), TESELA, "dock", "ladder", RECEPTOR, LIGAND,
                  "--grid", "300", "--rotations", "spiral:100000", "--device", "cpu"]
        told = self.telling(identity, ladder)
        process = self.launch((1, ladder), (1, told))
        while process.poll() is None and not os.listdir(self.path("scratch")):
            time.sleep(0.01)
        time.sleep(0.5)
        errors = self.terminate_one(identity, process)
        self.assertIn("interrupted: 0 of 9 versions are measured", errors)
        self.assertEqual(os.listdir(self.path("scratch")), [])

    def test_killed_and_resumed(self):
        """One rank is killed: all end, the checkpoints are whole, and any ranks go on from them."""
        goes_on = {"alone": lambda: self.dock("alone", "--resume"),
                   "threads": lambda: self.dock("threads", "--resume", "--device", "cpu,sim"),
                   "ranks": lambda: self.run_ranks(2, "ranks", "--resume")}
        for folder, resume in goes_on.items():
            identity = self.path("identity")
            victim = self.telling(identity, self.command(folder, "--batch", "1"))
            checkpoints = [self.path(folder, name) for name in ("checkpoint.tsl", "checkpoint.1.tsl")]
            for attempt in range(10):  # all may be done before it is seen
                process = self.launch((1, self.command(folder, "--batch", "1")), (1, victim),
                                      (1, self.command(folder, "--batch", "1")))
                if self.is_under_way(process, *checkpoints):
                    break
                self.assertLess(attempt, 9, process.communicate()[1])
                shutil.rmtree(self.path(folder))
            with open(identity, encoding="ascii") as file:
                os.kill(int(file.read()), signal.SIGKILL)
            begun = time.monotonic()
            _, errors = process.communicate(timeout=60)
            self.assertLess(time.monotonic() - begun, BOUND, errors)
            self.assertNotEqual(process.returncode, 0)
            self.assertLessEqual(errors.count("tesela: stopped"), 1)
            resume()
            self.assert_same(folder)

    def test_interrupted(self):
        process = self.launch((3, self.command("out", small=LONG)))
        self.wait_for(process, self.path("out", "checkpoint.tsl"))
        process.send_signal(signal.SIGINT)
        begun = time.monotonic()
        _, errors = process.communicate(timeout=60)
        self.assertLess(time.monotonic() - begun, BOUND, errors)
        self.assertNotEqual(process.returncode, 0)
        self.assertNotIn("run.json", os.listdir(self.path("out")))

    def test_signal_to_one_rank(self):
        """The others stop too, and one tells."""
        identity = self.path("identity")
        told = self.telling(identity, self.command("out", small=LONG))
        process = self.launch((1, self.command("out", small=LONG)), (1, told))
        self.wait_for(process, self.path("out", "checkpoint.1.tsl"))
        errors = self.terminate_one(identity, process)
        self.assertEqual(errors.count("interrupted after"), 1, errors)

    def test_file_that_one_rank_cannot_read(self):
        os.mkdir(self.path("elsewhere"))
        shutil.copy(RECEPTOR, self.path("receptor.pdb"))
        command = self.command("out", receptor="receptor.pdb")
        stray = ["bash", "-c", 'cd elsewhere && exec "$@"', "-", *command]
        self.assert_ends(self.launch((2, command), (1, stray)), 2, "rank 2: receptor.pdb: ")
        self.assertFalse(os.path.exists(self.path("out")))
        with open(self.path("elsewhere", "receptor.pdb"), "w", encoding="ascii") as file:
            with open(RECEPTOR, encoding="ascii") as source:
                file.write(source.read().replace("TRP", "TYR"))
        self.assert_ends(self.launch((2, command), (1, stray)), 2, "rank 2: receptor.pdb, ",
                         "give all ranks the same")
        self.assertFalse(os.path.exists(self.path("out")))

    def test_rank_out_of_memory(self):
        """A rank that cannot have what the plan takes; the others can, and would be at it for long."""
        small = ["--grid", "256", "--batch", "4", "--rotations", "spiral:4", "--threads", "1"]
        command = self.command("out", small=small)
        poor = ["bash", "-c", 'ulimit -v 330000; exec "$@"', "-", *command]
        self.assert_ends(self.launch((1, command), (1, poor)), 3, "rank 1: ", "out of memory")
        self.assertFalse(os.path.exists(self.path("out")))

    def test_lists_that_differ(self):
        """Of another name, or another one of the same name: nothing is written."""
        os.mkdir(self.path("elsewhere"))
        lists = {"one.txt": 1, "two.txt": 2, "elsewhere/one.txt": 2}
        for name, pairs in lists.items():
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.writelines(f"{RECEPTOR}\t{LIGAND}\tp{i}\n" for i in range(pairs))
        command = [TESELA, "dock", "-o", self.path("out"), *SMALL, "--list"]
        self.assert_ends(self.launch((1, [*command, "one.txt"]), (1, [*command, "two.txt"])), 2,
                         "rank 1's command line", "give all ranks the same")
        stray = ["bash", "-c", 'cd elsewhere && exec "$@"', "-", *command, "one.txt"]
        self.assert_ends(self.launch((1, [*command, "one.txt"]), (1, stray)), 2,
                         "rank 1: one.txt: ", "give all ranks the same list")
        self.assertFalse(os.path.exists(self.path("out")))

    def test_commands_that_differ(self):
        dock = self.command("out")
        for other in ([TESELA, "npb", "ep"], self.command("out", "--resume"),
                      [TESELA, "dock", "ladder", RECEPTOR, LIGAND]):
            self.assert_ends(self.launch((1, dock), (2, other)), 2, "rank 2's command line",
                             "give all ranks the same, but for --device, --threads, --json, "
                             "--profile, --quiet and --memory")
        self.assertFalse(os.path.exists(self.path("out")))

    def test_devices_that_differ(self):
        """Where and how a rank runs is its own."""
        process = self.launch((1, self.command("out", "--device", "cpu", "--threads", "1")),
                              (1, self.command("out", "--device", "sim", "--quiet")),
                              (1, self.command("out", "--memory", "200M")))
        _, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, errors)
        self.assert_same("out")

    def test_bound_of_one_rank(self):
        process = self.launch((1, self.command("out")), (1, self.command("out", "--memory", "10K")))
        self.assert_ends(process, 2, "rank 1: a grid of 48 cells needs ", "memory bound is 10.0 KiB")
        self.assertFalse(os.path.exists(self.path("out")))

    def test_usage(self):
        process = self.launch((3, self.command("out", "--keep", "0")))
        self.assert_ends(process, 2, "--keep '0'")

    def test_usage_of_one_rank(self):
        """A rank whose host has no such folder says so itself: rank 0 sees nothing wrong."""
        os.makedirs(self.path("elsewhere"))
        os.makedirs(self.path("reports"))
        command = self.command("out", "--json", "reports/out.json")
        stray = ["bash", "-c", 'cd elsewhere && exec "$@"', "-", *command]
        self.assert_ends(self.launch((2, command), (1, stray)), 2, "rank 2: --json reports/out.json")
        self.assertFalse(os.path.exists(self.path("out")))


if __name__ == "__main__":
    if not has_mpi():
        print("skipped: there is no mpirun, or this build has no MPI")
        sys.exit(77)
    unittest.main()
