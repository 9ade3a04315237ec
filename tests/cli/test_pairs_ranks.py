"""`tesela pairs` on several ranks, threads of a process: the same bits as on one, or one line."""

import random
import sys
import unittest

sys.dont_write_bytecode = True  # leave the source tree as it is
from command import LIGAND, RECEPTOR, CommandTest
from test_pairs import npy

POINTS = 700
BOX = "9,9,9"
TASKS = (("distance", ["p.npy"], "r.npy"),
         ("distance", ["w.npy", "--chunk", "100K"], "r.npy"),
         ("distance", ["w.npy", "v.npy", "--metric", "cosine"], "r.npy"),
         ("energy", ["p.npy"], "r.npy"),
         ("energy", ["p.npy", "--potential", "coulomb", "--charges", "q.csv", "--exclude", "e.csv"], "r.npy"),
         ("energy", ["s.npy", "--cutoff", "2.5", "--shift", "force", "--box", BOX], "r.npy"),
         ("triplets", ["t.npy"], None),
         ("neighbors", ["p.npy", "--cutoff", "1.5"], "r.npz"),
         ("neighbors", ["s.npy", "--cutoff", "2.5", "--half", "--sorted", "--box", BOX], "r.npz"),
         ("neighbors", ["s.npy", "--radii", "u.csv", "--cell-order", "--indices-only"], "r.npz"),
         ("neighbors", ["few.csv", "--cutoff", "2", "--direct"], "r.npz"),
         ("histogram", ["s.npy", "--to", "4", "--box", BOX], "r.csv"),
         ("histogram", ["few.csv", "--to", "4"], "r.csv"),
         ("knn", ["p.npy", "--k", "5"], "r.npz"),
         ("knn", ["x.npy", "--k", "3"], "r.npz"),
         ("knn", ["w.npy", "--k", "7"], "r.npz"),
         ("knn", ["few.csv", "--k", "4"], "r.npz"))
ALONE = (["contacts", RECEPTOR, LIGAND], ["maps", "--cells", "64"], ["ladder", "--most", "128"])


class Ranks(CommandTest):
    def setUp(self):
        super().setUp()
        generator = random.Random(8)
        lattice = [[0.95 * axis + 0.1 * generator.random() for axis in (k // 81, k // 9 % 9, k % 9)]
                   for k in range(POINTS)]
        self.write("p.npy", npy(lattice))
        self.write("s.npy", npy(lattice, "f"))
        self.write("t.npy", npy(lattice[:90]))
        self.write("w.npy", npy([[generator.random() for _ in range(70)] for _ in range(150)]))
        self.write("v.npy", npy([[generator.random() for _ in range(70)] for _ in range(33)]))
        self.write("x.npy", npy([[generator.random() for _ in range(20)] for _ in range(290)], "f"))
        self.write("q.csv", "".join(f"{(-1) ** k}\n" for k in range(POINTS)))
        self.write("u.csv", "".join(f"{0.5 + k % 7 / 20}\n" for k in range(POINTS)))
        self.write("few.csv", "0,0,0\n1,0,0\n1,1,1\n")
        self.write("e.csv", "0,1\n5,3\n600,2\n")

    def outcome(self, device, threads, task, arguments, output):
        """The bytes of the result, and what the report says of it."""
        target = ["-o", output] if output else []
        result = self.run_command("pairs", task, *arguments, *target, "--device", device, "--threads", str(threads),
                                  "--quiet", "--json", "r.json")
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)
        report = self.read_json("r.json")
        self.assertEqual(report["ranks"], device.count(",") + 1)
        self.assertEqual(report["device"], device)
        data = b""
        if output:
            with open(self.path(output), "rb") as file:
                data = file.read()
        return data, {name: value for name, value in report["results"].items() if not name.endswith("_seconds")}

    def test_same_bits(self):
        for task, arguments, output in TASKS:
            for kind, others in (("cpu", (("cpu", 8), ("cpu,cpu", 1), ("cpu,cpu,cpu", 2), ("cpu,cpu,cpu,cpu", 1))),
                                 ("sim", (("sim,sim", 1), ("sim,sim,sim", 1)))):
                expected = self.outcome(kind, 1, task, arguments, output)
                for device, threads in others:
                    with self.subTest(task=task, arguments=arguments, device=device, threads=threads):
                        self.assertEqual(self.outcome(device, threads, task, arguments, output), expected)

    def test_refusals(self):
        for task, arguments, output in TASKS:
            target = ["-o", output] if output else []
            self.assert_refused(["pairs", task, *arguments, *target, "--device", "cpu,sim,cpu", "--quiet"],
                                ["devices of several kinds", "give one kind"])
        for command in ALONE:
            self.assert_refused(["pairs", *command, "--device", "cpu,sim,cpu"], ["--device cpu,sim,cpu", "one device"])
        self.assert_refused(["pairs", "energy", "none.npy", "--device", "cpu,cpu", "--quiet"], ["none.npy"])
        self.assert_refused(["pairs", "distance", "p.npy", "-o", "none/r.npy", "--device", "cpu,cpu", "--quiet"],
                            ["none/r.npy"])
        self.write("n.npy", npy([[0, 0, float("nan")], [1, 1, 1]]))
        for task in (["energy"], ["triplets"], ["neighbors", "--cutoff", "1", "-o", "r.npz"],
                     ["histogram", "--to", "1", "-o", "r.csv"], ["knn", "-o", "r.npz"]):
            self.assert_refused(["pairs", *task, "n.npy", "--device", "cpu,cpu,cpu", "--quiet"], ["n.npy: row 1, column 3"])


if __name__ == "__main__":
    unittest.main()
