"""Input that cannot be docked: one line, exit status 2, nothing written."""

import os
import resource
import signal
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True  # leave the source tree as it is
from command import LIGAND, RECEPTOR, SMALL, TESELA, CommandTest, contents


class Molecules(CommandTest):
    def assert_bad_molecule(self, path, words):
        self.assert_refused(["dock", path, LIGAND, "-o", "out", *SMALL], words)
        self.assert_refused(["dock", RECEPTOR, path, "-o", "out", *SMALL], words)

    def receptor_lines(self):
        with open(RECEPTOR, encoding="ascii") as file:
            return [line for line in file if line.startswith("ATOM")]

    def test_missing(self):
        self.assert_bad_molecule("missing.pdb", ["missing.pdb", "No such file"])

    def test_folder(self):
        os.mkdir(self.path("folder.pdb"))
        self.assert_bad_molecule("folder.pdb", ["folder.pdb", "directory"])

    def test_empty(self):
        self.assert_bad_molecule(self.write("empty.pdb", ""), ["empty.pdb", "empty"])

    def test_binary(self):
        data = bytes((i * i * 7 + i // 3) % 256 for i in range(5000))
        self.assert_bad_molecule(self.write("binary.pdb", data), ["binary.pdb"])

    def test_no_atoms(self):
        self.assert_bad_molecule(self.write("notes.pdb", "REMARK nothing here\nEND\n"),
                                 ["notes.pdb", "atom"])

    def test_truncated_coordinate(self):
        lines = self.receptor_lines()[:30]
        lines[20] = lines[20][:50] + "\n"
        self.assert_bad_molecule(self.write("short.pdb", "".join(lines)), ["short.pdb:21:"])

    def test_coordinate_that_is_no_number(self):
        lines = self.receptor_lines()[:30]
        lines[6] = lines[6][:30] + "  1.2x3 " + lines[6][38:]
        self.assert_bad_molecule(self.write("words.pdb", "".join(lines)),
                                 ["words.pdb:7:", "1.2x3"])

    def test_chains(self):
        pair = ["dock", RECEPTOR, LIGAND, "-o", "out", *SMALL]
        self.assert_refused([*pair, "--receptor-chains", "Q"], ["trypsin.pdb", "no chain Q"])
        self.assert_refused([*pair, "--ligand-chains", "Q"], ["bpti.pdb", "no chain Q"])
        self.assert_refused([*pair, "--receptor-chains", "A,,B"], ["--receptor-chains"])
        self.assert_refused([*pair, "--ligand-chains", ""], ["--ligand-chains"])


class Values(CommandTest):
    def assert_bad_values(self, option, values, words):
        for value in values:
            self.assert_refused(["dock", RECEPTOR, LIGAND, "-o", "out", option, value],
                                [f"{option} '{value}'", *words])

    def test_grid(self):
        self.assert_bad_values("--grid", ["47", "1023"], ["odd", "even number"])
        self.assert_bad_values("--grid", ["-4", "0", "6", "1026", "99999999999999999999", "48.5",
                                          "1e2", "many", ""], ["even number of cells from 8 to"])

    def test_angle_step(self):
        self.assert_bad_values("--angle-step", ["7", "8", "6", "3", "11", "0", "-30", "181", "360",
                                                "12.5", "abc", ""], ["divisor of 180", "9, 10, 12"])

    def test_lengths(self):
        for option in ("--spacing", "--surface"):
            self.assert_bad_values(option, ["0", "-1", "1e5", "nan", "inf", "1,2", "0x1", ""],
                                   ["angstrom"])

    def test_counts(self):
        self.assert_bad_values("--core", ["0", "1", "-1001", "-1.5"], ["-1000 to -1"])
        self.assert_bad_values("--keep", ["0", "65", "-1"], ["1 to 64"])
        self.assert_bad_values("--batch", ["0", "4097"], ["1 to 4096"])
        self.assert_bad_values("--top", ["0", "-5"], ["from 1"])
        self.assert_bad_values("--poses", ["-1", "all"], ["from 0"])
        self.assert_bad_values("--threads", ["0", "-1", "x"], ["from 1"])

    def test_words(self):
        self.assert_bad_values("--correlation", ["fast", ""], ["lines, plain, strided or transposed"])
        self.assert_bad_values("--electrostatics", ["on", ""], ["ftdock, trilinear or off"])
        self.assert_bad_values("--hetero", ["yes", ""], ["keep or drop"])
        self.assert_bad_values("--memory", ["0", "-1G", "4X", "G", "lots", ""], ["bytes"])
        self.assert_bad_values("--rotations", ["spiral:0", "spiral:-3", "spiral:x", "spiral:",
                                               "spiral:20000000"], ["spiral:54000"])

    def test_cells_wider_than_the_surface(self):
        self.assert_refused(["dock", RECEPTOR, LIGAND, "-o", "out", *SMALL[:3]],
                            ["wider than the surface", "give a grid of at least"])

    def test_grid_too_small_for_the_molecules(self):
        self.assert_refused(["dock", RECEPTOR, LIGAND, "-o", "out", "--grid", "20", "--spacing",
                             "1"], ["the molecules need", "larger spacing"])
        self.assert_refused(["dock", RECEPTOR, LIGAND, "-o", "out", "--spacing", "0.05"],
                            ["the largest is 1024"])

    def test_device(self):
        pair = ["dock", RECEPTOR, LIGAND, "-o", "out", *SMALL]
        self.assert_refused([*pair, "--device", "gpu"], ["unknown device 'gpu'", "cpu"])
        self.assert_refused([*pair, "--device", "cuda:99"], ["cuda:99"], status=3)

    def test_memory_bound(self):
        self.assert_refused(["dock", RECEPTOR, LIGAND, "-o", "out", *SMALL, "--memory", "1M"],
                            ["needs", "memory bound is 1.0 MiB"])

    def test_memory_units(self):
        for text in ("64M", "64MiB", "65536k", "67108864", "0.0625G"):
            report = self.path("report.json")
            result = self.run_command("dock", RECEPTOR, LIGAND, "-o", "out", *SMALL[:4], "--memory",
                                      text, "--rotations", "spiral:4", "--json", "report.json")
            self.assertEqual(result.returncode, 0, result.stderr)
            with open(report, encoding="utf-8") as file:
                self.assertIn('"memory": 67108864', file.read())


class Rotations(CommandTest):
    def assert_bad_rotations(self, text, words):
        self.write("rotations", text)
        self.assert_refused(["dock", RECEPTOR, LIGAND, "-o", "out", *SMALL[:4], "--rotations",
                             "rotations"], words)

    def test_files(self):
        self.assert_bad_rotations("", ["rotations", "holds no rotation"])
        self.assert_bad_rotations("# none\n\n", ["rotations", "holds no rotation"])
        self.assert_bad_rotations("0 0 0\n\n1 2\n", ["rotations:3:", "too few"])
        self.assert_bad_rotations("1 2 3 4 5\n", ["rotations:1:", "too many"])
        self.assert_bad_rotations("0 0 0\n0 x 0\n", ["rotations:2:", "'x' is no number"])
        self.assert_bad_rotations("0 nan 0\n", ["rotations:1:", "'nan' is no number"])
        self.assert_bad_rotations("0 400 0\n", ["rotations:1:", "400"])
        self.assert_bad_rotations("2 0 0 0\n", ["rotations:1:", "length is 2"])
        self.assert_bad_rotations("0 0 0 0\n", ["rotations:1:", "length is 0"])
        self.assert_bad_rotations(bytes(range(256)), ["rotations:"])

    def test_contacts(self):
        pair = ["dock", RECEPTOR, LIGAND, "-o", "out", "--score", "complementarity"]
        row = "0.5 " * 18 + "\n"
        for name, data, words in (("short", "# a table\n" + row * 17, "short: ends after 17 lines"),
                                  ("long", row * 19, "long:19: is one line too many"),
                                  ("words", row + "one\n", "words:2: is no line of a table"),
                                  ("large", row.replace("0.5", "101"), "large:1: is no line")):
            self.write(name, data)
            self.assert_refused([*pair, "--contacts", name], [words])
        for name, words in (("/dev/zero", "/dev/zero:1: is no line of a table"),
                            ("missing", "--contacts missing: cannot open: No such file")):
            self.assert_refused([*pair, "--contacts", name], [words])

    def test_missing_or_folder(self):
        for name, word in (("missing", "No such file"), (".", "directory")):
            self.assert_refused(["dock", RECEPTOR, LIGAND, "-o", "out", *SMALL[:4], "--rotations",
                                 name], [f"{name}: ", word])


class Places(CommandTest):
    """Where results cannot go."""

    def test_output_is_a_file(self):
        self.write("file", "x")
        self.assert_refused(["dock", RECEPTOR, LIGAND, "-o", "file", *SMALL],
                            ["-o file", "is a file"])
        self.assert_refused(["dock", RECEPTOR, LIGAND, "-o", "file/in", *SMALL],
                            ["-o file/in", "file is a file"])
        self.assert_refused(["dock", RECEPTOR, LIGAND, "-o", "", *SMALL], ["-o", "empty"])

    def test_output_cannot_be_made(self):
        self.assert_refused(["dock", RECEPTOR, LIGAND, "-o", "/proc/tesela", *SMALL],
                            ["/proc/tesela"])

    @unittest.skipIf(os.geteuid() == 0, "the superuser may write everywhere")
    def test_output_is_read_only(self):
        os.mkdir(self.path("locked"), 0o500)
        self.assert_refused(["dock", RECEPTOR, LIGAND, "-o", "locked/out", *SMALL],
                            ["-o locked/out", "cannot write in locked"])

    def test_json_place(self):
        os.mkdir(self.path("folder"))
        pair = ["dock", RECEPTOR, LIGAND, "-o", "out", *SMALL]
        self.assert_refused([*pair, "--json", "folder"], ["--json folder", "is a folder"])
        self.assert_refused([*pair, "--json", "missing/a.json"], ["--json missing/a.json"])
        self.assert_refused(["info", "--json", "missing/a.json"], ["--json missing/a.json"])

    def test_no_file_twice(self):
        """What is read stays, by whatever name it is to be replaced, and no result hides another."""
        self.write("in.npy", "as it was")
        self.write("in.cube", "as it was")
        os.link(self.path("in.npy"), self.path("hard.npy"))
        os.symlink("in.npy", self.path("soft.npy"))
        os.mkdir(self.path("a"))
        poisson = ["poisson", "in.npy", "--lengths", "1,1,1"]
        transpose = ["transpose", "in.npy", "--permute", "yxz"]
        read, twice = "is a file that is read", "is the file of "
        for arguments, words in (
                ([*poisson, "-o", "in.npy"], ["-o in.npy", read]),
                ([*poisson, "-o", "a/../hard.npy"], ["-o a/../hard.npy", read]),
                ([*poisson, "-o", "soft.npy"], ["-o soft.npy", read]),
                ([*poisson, "-o", "x.npy", "--json", "in.npy"], ["--json in.npy", read]),
                ([*poisson, "-o", "x.npy", "--json", "a/../x.npy"], ["--json a/../x.npy", twice + "-o"]),
                (["poisson", "in.cube", "-o", "in.cube"], ["-o in.cube", read]),
                (["poisson", "study", "segments", "--csv", "x.svg", "--figure", "./x.svg"],
                 ["--csv x.svg", twice + "--figure"]),
                ([*transpose, "-o", "in.npy"], ["-o in.npy", read]),
                ([*transpose, "-o", "x.npy", "--json", "x.npy"], ["--json x.npy", twice + "-o"]),
                (["solve", "in.npy", "-o", "in.npy"], ["-o in.npy", read]),
                (["solve", "in.cube", "--rhs", "in.npy", "-o", "hard.npy"], ["-o hard.npy", read]),
                (["fft", "study", "--csv", "x", "--json", "x"], ["--json x", twice + "--csv"]),
                (["comm", "bench", "--csv", "x", "--json", "x"], ["--json x", twice + "--csv"]),
                (["dock", "in.npy", LIGAND, "-o", "out", "--json", "in.npy"], ["--json in.npy", read])):
            self.assert_refused(arguments, words)
        for name in ("in.npy", "in.cube"):
            with open(self.path(name), encoding="ascii") as file:
                self.assertEqual(file.read(), "as it was")

    def test_full_device_as_json(self):
        result = self.dock("out", "--quiet", "--json", "/dev/full", status=2)
        self.assertRegex(result.stderr, r"^tesela: error: /dev/full: .*No space left.*\n$")
        self.assertTrue(os.path.exists(self.path("out", "run.json")))

    def dock_with_limit(self, largest_file):
        """Dock with a limit on the size of files, as a full disk would end writing."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        return subprocess.run([TESELA, "dock", RECEPTOR, LIGAND, "-o", "out", *SMALL],
                              cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, check=False, preexec_fn=limit)

    def test_full_disk_during_the_search(self):
        result = self.dock_with_limit(20000)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("tesela: error: out/checkpoint.tsl", result.stderr)
        self.assertEqual(list(contents(self.path("out"))), ["checkpoint.tsl"])

    def test_full_disk_during_output(self):
        """Nothing half-written; the finished search is kept, and --resume writes its results."""
        result = self.dock_with_limit(100000)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("tesela: error: out/ftdock_global.dat", result.stderr)
        self.assertIn("--resume", result.stderr)
        self.assertEqual(list(contents(self.path("out"))), ["checkpoint.tsl"])
        self.dock("out", "--resume")
        self.dock("whole")
        self.assertEqual(contents(self.path("out")), contents(self.path("whole")))


if __name__ == "__main__":
    unittest.main()
