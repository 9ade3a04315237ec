# ctest: cost 60, full with sanitizers
"""The same files whatever the number of threads and the batch, and whatever was there before."""

import json
import os
import sys
import unittest

sys.dont_write_bytecode = True  # leave the source tree as it is
from command import SMALL, ReferenceTest, rows


class Same(ReferenceTest):
    def test_the_files_there_should_be(self):
        expected = {"ftdock_global.dat", "zdock.out"}
        expected |= {f"poses/complex.{i:04d}.pdb" for i in range(1, 11)}
        self.assertEqual(set(self.reference) - {"figure.svg"}, expected)
        self.assertTrue(os.path.exists(os.path.join(self.reference_folder, "run.json")))
        self.assertEqual(len(rows(os.path.join(self.reference_folder, "ftdock_global.dat"))), 1800)

    def test_threads(self):
        for threads in ("1", "2", "3"):
            self.dock("threads", "--threads", threads)
            self.assert_same("threads")

    def test_devices(self):
        """The imitated GPU, and every device there is; both kinds of correlation."""
        self.run_command("info", "--json", "info.json")
        with open(self.path("info.json"), encoding="utf-8") as file:
            devices = [device["name"] for device in json.load(file)["results"]["devices"]]
        for way in ("strided", "transposed"):
            self.dock("way", "--device", "cpu", "--correlation", way)
            self.assert_same("way", way)
            with open(self.path("way", "run.json"), encoding="utf-8") as file:
                plan = json.load(file)["results"]["plan"]
            for axis in ("first", "second"):
                self.assertIs(plan[f"{axis}_axis_transposed"], way == "transposed")
        for device in ["sim:reversed", *devices]:
            for options in ([], ["--batch", "3"], ["--correlation", "plain"]):
                self.dock("device", "--device", device, *options)
                self.assert_same("device", device)

    def test_batch(self):
        for batch in ("1", "3", "64"):
            self.dock("batch", "--batch", batch)
            self.assert_same("batch")

    def test_memory_bound(self):
        self.dock("bound", "--memory", "3M", "--threads", "2")
        self.assert_same("bound")

    def test_run_again_in_its_folder(self):
        """Results of an earlier run do not stay among those of a later one."""
        self.dock("again", "--poses", "14", "--top", "20")
        self.assertEqual(len(rows(self.path("again", "ftdock_global.dat"))), 20)
        self.assertEqual(len(os.listdir(self.path("again", "poses"))), 14)
        self.write("again/.tesela-1-0.tmp", "left by a process that was killed")
        self.write("again/poses/.tesela-1-1.tmp", "as well")
        self.write("again/poses/mine.pdb", "no business of tesela's")
        self.dock("again")
        os.remove(self.path("again", "poses", "mine.pdb"))
        self.assert_same("again")

    def test_no_complexes(self):
        self.dock("again")
        self.dock("again", "--poses", "0")
        self.assertFalse(os.path.exists(self.path("again", "poses")))

    def test_top_is_the_beginning_of_the_list(self):
        self.dock("short", "--top", "25")
        whole = rows(os.path.join(self.reference_folder, "ftdock_global.dat"))
        self.assertEqual(rows(self.path("short", "ftdock_global.dat")), whole[:25])

    def test_rotations_from_a_file(self):
        """The same list for FTDock's rotations from a file, in the same and in another order."""
        angles = [(twist, theta, phi) for theta, phis in
                  ((0, [0]), (90, [0, 90, 180, 270]), (180, [0]))
                  for phi in phis for twist in (0, 90, 180, 270)]
        self.dock("step", "--angle-step", "90")
        for number, order in enumerate((angles, angles[::-1])):
            lines = [f"{twist} {theta} {phi}  # a comment\n" for twist, theta, phi in order]
            self.write("rotations", "# all of them\n\n" + "".join(lines))
            self.dock(f"file{number}", *SMALL[:4], "--rotations", "rotations", small=False)
            self.assertEqual(rows(self.path(f"file{number}", "ftdock_global.dat")),
                             rows(self.path("step", "ftdock_global.dat")))

    def test_ways_to_write_a_rotation(self):
        """Angles beyond their range and quaternions name the same rotation."""
        for number, line in enumerate(("90 90 0", "-90 -90 180", "90 90 360", "0.5 0.5 0.5 0.5",
                                       "-0.5, -0.5, -0.5, -0.5")):
            self.write("rotations", line + "\n")
            self.dock(f"out{number}", *SMALL[:4], "--rotations", "rotations", small=False)
            self.assertEqual(rows(self.path(f"out{number}", "ftdock_global.dat")),
                             rows(self.path("out0", "ftdock_global.dat")), line)

    def test_report(self):
        with open(os.path.join(self.reference_folder, "run.json"), encoding="utf-8") as file:
            report = json.load(file)
        first = rows(os.path.join(self.reference_folder, "ftdock_global.dat"))[:10]
        self.assertIs(report["verified"], True)
        self.assertEqual(report["results"]["rotations_searched"], 600)
        for row, pose in zip(first, report["results"]["top"]):
            self.assertEqual((row[0], row[2], row[4]),
                             (pose["rank"], pose["score"], tuple(pose["shift"])))
            self.assertAlmostEqual(row[3], pose["es_ratio"], delta=6e-4)
        self.assertLess(report["results"]["cases"][0]["value"], 0.25)


if __name__ == "__main__":
    unittest.main()
