# ctest: cost 60, full with sanitizers
"""Runs that are interrupted or killed, and gone on with."""

import hashlib
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True  # leave the source tree as it is
from command import LIGAND, RECEPTOR, SMALL, SOURCE, TESELA, ReferenceTest, contents


class Resume(ReferenceTest):
    def stop_in_search(self, folder, number, *arguments, size=4000):
        """Send a signal once the checkpoint holds `size` bytes; returns (status, errors)."""
        process = self.start(folder, *arguments)
        checkpoint = self.path(folder, "checkpoint.tsl")
        while process.poll() is None:
            if os.path.exists(checkpoint) and os.path.getsize(checkpoint) > size:
                process.send_signal(number)
                break
            time.sleep(0.001)
        _, errors = process.communicate()
        return process.returncode, errors

    def test_killed_at_random_moments(self):
        """However often a run is killed, with whatever threads and batch it goes on."""
        self.kill_at_random_moments("--threads", "12", ["1", "2", "7", "64"], kills=12, longest=1.1)

    def test_interrupted(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number=number):
                shutil.rmtree(self.path("out"), ignore_errors=True)
                status, errors = self.stop_in_search("out", number)
                self.assertEqual(status, 128 + number, errors)
                self.assertRegex(errors, r"interrupted after \d+ of 600 rotations: .*--resume")
                self.assertEqual(list(contents(self.path("out"))), ["checkpoint.tsl"])
                self.dock("out", "--resume", "--json", "report.json")
                with open(self.path("report.json"), encoding="utf-8") as file:
                    searched = json.load(file)["results"]["rotations_searched"]
                self.assertTrue(0 < searched < 600, searched)
                self.assert_same("out")

    def test_killed_again_and_again_in_one_search(self):
        """What a resumed search adds to the checkpoint stands in its right place."""
        for size in (4000, 15000, 30000, 45000):
            status, errors = self.stop_in_search("out", signal.SIGKILL, "--resume", size=size)
            self.assertEqual(status, -signal.SIGKILL, errors)
        self.dock("out", "--resume")
        self.assert_same("out")

    def test_without_resume_the_checkpoint_is_replaced(self):
        self.stop_in_search("out", signal.SIGTERM)
        errors = self.dock("out").stderr
        self.assertIn("replaces the checkpoint of an unfinished run", errors)
        self.assert_same("out")

    def test_resume_of_another_run_is_refused(self):
        self.stop_in_search("out", signal.SIGTERM)
        before = contents(self.path("out"))
        result = self.dock("out", "--resume", "--core", "-7", "--quiet", status=2)
        self.assertRegex(result.stderr, r"^tesela: error: .*checkpoint.tsl.*\n$")
        self.assertEqual(contents(self.path("out")), before)

    def test_resume_of_another_version_is_refused(self):
        """The search's name, made up here, holds the version and the arithmetic's number."""
        with open(os.path.join(SOURCE, "src", "solvers", "dock", "dock.h"), encoding="utf-8") as file:
            arithmetic = int(re.search(r"TSL_DOCK_ARITHMETIC = (\d+)", file.read())[1])
        version = self.run_command("--version").stdout.split()[-1]
        self.write("few.txt", "10 20 30\n0 90 0\n")
        command = ["dock", RECEPTOR, LIGAND, "-o", "out", *SMALL[:4], "--threads", "1",
                   "--rotations", "few.txt", "--no-electrostatics", "--device", "cpu"]

        def name(version, arithmetic):
            digests = []
            for path in (RECEPTOR, LIGAND):
                with open(path, "rb") as file:
                    digests.append(hashlib.sha256(file.read()).hexdigest())
            texts = [f"tesela {version} dock, arithmetic {arithmetic}", digests[0], None, digests[1], None, "",
                     "0 0", "0 48 0 2.5 -15 0 3", "0 0.5 3 2"]
            rest = [None, None, "2", "10000000 20000000 30000000", "0 90000000 0"]
            lines = [b"".join((text.encode() + b"\0" if text is not None else b"") + b"\n" for text in part)
                     for part in (texts, rest)]
            return hashlib.sha256(bytes(18 * 18 * 8).join(lines)).hexdigest()  # no contact potentials are given

        def checkpoint(run):
            """A checkpoint of two rotations, of which none is finished."""
            head = b"tesela checkpoint 1\n" + run.encode() + struct.pack("<qi", 2, 3)
            total = 0xcbf29ce484222325
            for byte in head:
                total = (total ^ byte) * 0x100000001b3 % 2**64
            return head + struct.pack("<Q", total)

        os.mkdir(self.path("out"))
        for other in (name(version, arithmetic - 1), name(version, arithmetic + 1), name(version + "1", arithmetic)):
            self.write("out/checkpoint.tsl", checkpoint(other))
            self.assert_refused([*command, "--resume"], ["out/checkpoint.tsl", "options or version"])
        self.write("out/checkpoint.tsl", checkpoint(name(version, arithmetic)))
        result = self.run_command(*command, "--resume")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.read_json("out", "run.json")["results"]["search_digest"], name(version, arithmetic))

    def test_resume_of_nothing_begins(self):
        result = self.dock("out", "--resume")
        self.assertIn("nothing to resume", result.stderr)
        self.assert_same("out")

    def test_resume_of_a_complete_run(self):
        self.dock("out")
        written = os.stat(self.path("out", "ftdock_global.dat")).st_mtime_ns
        result = self.dock("out", "--resume", "--json", "copy.json", "--threads", "2")
        self.assertIn("complete: nothing to do", result.stderr)
        self.assertEqual(os.stat(self.path("out", "ftdock_global.dat")).st_mtime_ns, written)
        with open(self.path("copy.json"), "rb") as copy, \
                open(self.path("out", "run.json"), "rb") as run:
            self.assertEqual(copy.read(), run.read())

    def test_resume_with_another_length_of_the_list(self):
        """Other files are wanted, so the run is not complete."""
        self.dock("out")
        self.dock("out", "--resume", "--poses", "3")
        self.assertEqual(len(os.listdir(self.path("out", "poses"))), 3)

    def test_resume_does_not_replace_the_results_of_another_search(self):
        self.dock("search_digest")  # a name that run.json has, too, and is not to be taken for it
        for other in (["--keep", "2"], ["--core", "-7", "--device", "cpu,cpu"]):
            self.assert_refused(["dock", RECEPTOR, LIGAND, "-o", "search_digest", *SMALL, *other,
                                 "--resume"],
                                ["search_digest/run.json: ", "another folder", "drop --resume"])

    def test_resume_of_another_search_that_was_begun_beside_results(self):
        """The checkpoint says what is gone on with, not the report of an earlier run."""
        self.dock("out", "--core", "-7")
        self.stop_in_search("out", signal.SIGTERM)
        self.assertTrue(os.path.exists(self.path("out", "run.json")))
        self.dock("out", "--resume")
        self.assert_same("out")

    def test_resume_beside_a_report_that_names_no_search(self):
        for text in ("", '{"search_digest": "', '{"search_digest": "no digest"}', "\0" * 99):
            shutil.rmtree(self.path("out"), ignore_errors=True)
            os.mkdir(self.path("out"))
            self.write("out/run.json", text)
            self.assertIn("nothing to resume", self.dock("out", "--resume").stderr)
            self.assert_same("out")

    def test_a_failed_run_does_not_pass_for_the_complete_one_before_it(self):
        """Once files are being replaced, run.json is gone."""
        self.dock("out")
        os.remove(self.path("out", "zdock.out"))
        os.mkdir(self.path("out", "zdock.out"))  # the second file cannot be written
        self.dock("out", "--core", "-7", status=2)
        self.assertFalse(os.path.exists(self.path("out", "run.json")))
        os.rmdir(self.path("out", "zdock.out"))
        self.dock("out", "--resume", "--core", "-7")
        self.dock("out")
        self.assert_same("out")

    def test_interrupted_list(self):
        """Pairs that are complete stay as they are; the one that was not is gone on with."""
        self.write("pairs.tsv", "".join(f"{RECEPTOR}\t{LIGAND}\t{name}\n" for name in "abcd"))
        command = ["dock", "--list", "pairs.tsv", "-o", "list", *SMALL]
        process = subprocess.Popen([TESELA, *command], cwd=self.folder, text=True,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        checkpoint = self.path("list", "b", "checkpoint.tsl")
        while process.poll() is None:
            if os.path.exists(checkpoint) and os.path.getsize(checkpoint) > 4000:
                process.terminate()
                break
            time.sleep(0.001)
        _, errors = process.communicate()
        self.assertEqual(process.returncode, 128 + signal.SIGTERM, errors)
        self.assertEqual(sorted(os.listdir(self.path("list"))), ["a", "b"])
        result = self.run_command(*command, "--resume")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("a: was complete", result.stdout)
        for name in "abcd":
            self.assert_same(os.path.join("list", name), name)

    def test_checkpoint_that_is_none(self):
        os.mkdir(self.path("out"))
        self.write("out/checkpoint.tsl", "no checkpoint, but a text somebody left\n" * 9)
        result = self.dock("out", "--resume", "--quiet", status=2)
        self.assertRegex(result.stderr, r"^tesela: error: .*checkpoint.tsl.*\n$")


if __name__ == "__main__":
    unittest.main()
