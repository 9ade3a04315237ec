# ctest: full with sanitizers
"""The reports are what docs/json.md says they are, name by name."""

import hashlib
import json
import os
import re
import shutil
import struct
import sys
import unittest

sys.dont_write_bytecode = True  # leave the source tree as it is
from command import LIGAND, RECEPTOR, SMALL, SOURCE, CommandTest

TYPES = {"string": str, "integer": int, "number": (int, float), "bool": bool, "object": dict,
         "array": list}


def documented():
    """Tables of docs/json.md: {heading: {path: type}}."""
    tables, heading = {}, None
    with open(os.path.join(SOURCE, "docs", "json.md"), encoding="utf-8") as file:
        for line in file:
            if line.startswith("## "):
                heading = line[3:].strip()
                tables[heading] = {}
            row = re.match(r"\| `([^`]+)` \| ([^|]+) \|", line)
            if row:
                tables[heading][row[1]] = row[2].strip()
    return tables


def is_of_type(value, text):
    if " or null" in text:
        return value is None or is_of_type(value, text.replace(" or null", ""))
    if text.startswith("array of "):
        return isinstance(value, list) and all(is_of_type(item, text[9:]) for item in value)
    if isinstance(value, bool):
        return text == "bool"
    return isinstance(value, TYPES[text])


# Members of arrays that these molecules leave empty; test_molecules.py sees them.
TALLIES = tuple(f"parameters.{role}.{name}[]" for role in ("receptor", "ligand")
                for name in ("left_out.names", "assumed.taken_for", "assumed.uncharged",
                             "assumed.atom_names"))


class Reports(CommandTest):
    def setUp(self):
        super().setUp()
        self.tables = documented()

    def walk(self, value, path, names, seen):
        """Check a value and what is below it against the documented names."""
        if path:
            self.assertIn(path, names, f"{path} is not documented")
            self.assertTrue(is_of_type(value, names[path]),
                            f"{path}: {value!r} is no {names[path]}")
            seen.add(path)
        if isinstance(value, dict):
            for name, member in value.items():
                self.walk(member, f"{path}.{name}" if path else name, names, seen)
        elif isinstance(value, list):
            for item in value:
                if isinstance(item, dict):
                    for name, member in item.items():
                        self.walk(member, f"{path}[].{name}", names, seen)

    def assert_documented(self, path, heading, absent=()):
        """All names of the report are documented, and the other way about."""
        names = {**self.tables["Envelope"], **self.tables[heading]}
        with open(self.path(path), encoding="utf-8") as file:
            report = json.load(file)
        seen = set()
        self.walk(report, "", names, seen)
        missing = {name for name in names if name not in seen and not name.startswith(absent)}
        self.assertEqual(missing, set())
        return report

    def test_comm_bench(self):
        result = self.run_command("comm", "bench", "--most", "64", "--repeats", "1", "--json",
                                  "report.json")
        self.assertEqual(result.returncode, 0, result.stderr)
        report = self.assert_documented("report.json", "tesela comm bench",
                                        absent="profile[]")
        self.assertEqual((report["command"], report["ranks"]), ("comm bench", 2))

    def test_dock(self):
        self.dock("out", "--memory", "1G", "--receptor-chains", "E")
        report = self.assert_documented("out/run.json", "tesela dock", absent=("results.top[].cluster", *TALLIES))
        self.assertEqual((report["command"], report["ranks"]), ("dock", 1))
        self.assertEqual(report["parameters"]["memory"], 1 << 30)
        self.assertEqual(report["parameters"]["receptor"]["chains"], "E")
        self.assertEqual(len(report["results"]["top"]), 10)
        seconds = report["seconds"]
        self.assertLessEqual(seconds["setup"] + seconds["compute"], seconds["total"])

    def test_dock_ladder(self):
        result = self.run_command("dock", "ladder", RECEPTOR, LIGAND, "--grid", "32", "--surface",
                                  "3.5", "--rotations", "spiral:2", "--repeat", "1", "--device",
                                  "cpu", "--json", "ladder.json")
        self.assertEqual(result.returncode, 0, result.stderr)
        report = self.assert_documented("ladder.json", "tesela dock ladder", absent="profile[]")
        self.assertEqual((report["command"], report["verified"]), ("dock ladder", True))

    def test_digests_are_sha256sum_s(self):
        self.dock("out")
        with open(self.path("out", "run.json"), encoding="utf-8") as file:
            parameters = json.load(file)["parameters"]
        for role, path in (("receptor", RECEPTOR), ("ligand", LIGAND)):
            with open(path, "rb") as file:
                digest = hashlib.sha256(file.read()).hexdigest()
            self.assertEqual(parameters[role]["sha256"], digest)

    def test_rescore(self):
        self.dock("searched")
        result = self.run_command("dock", RECEPTOR, LIGAND, "-o", "out", "--rescore",
                                  "searched/ftdock_global.dat")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assert_documented("out/run.json", "tesela dock",
                               absent=("results.cases[]", "results.top[].cluster", *TALLIES))

    def test_list(self):
        self.write("pairs.tsv", f"{RECEPTOR}\t{LIGAND}\tgood\nmissing\t{LIGAND}\tbad\n")
        result = self.run_command("dock", "--list", "pairs.tsv", "-o", "out", *SMALL)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assert_documented("out/list.json", "tesela dock --list")
        self.assert_documented("out/good/run.json", "tesela dock", absent=("results.top[].cluster", *TALLIES))

    def test_npb(self):
        for name in ("ep", "cg"):
            result = self.run_command("npb", name, "--device", "cpu", "--json", "npb.json")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assert_documented("npb.json", f"tesela npb {name}")
        result = self.run_command("npb", "ladder", "cg", "--device", "sim", "--variant", "V5",
                                  "--json", "ladder.json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assert_documented("ladder.json", "tesela npb ladder", absent="profile[]")

    def test_fft_study(self):
        result = self.run_command("fft", "study", "--sizes", "8", "--most", "32K", "--device",
                                  "cpu", "--json", "fft.json")
        self.assertEqual(result.returncode, 0, result.stderr)
        report = self.assert_documented("fft.json", "tesela fft study")
        self.assertTrue(report["verified"])

    @unittest.skipUnless(shutil.which("clang++") or shutil.which("g++"), "no C++ compiler is found")
    def test_lab_check(self):
        result = self.run_command("lab", "check", "14.1", "14.2", "--dir", self.path("answers"), "--json", "check.json")
        self.assertEqual(result.returncode, 1, result.stderr)
        report = self.assert_documented("check.json", "tesela lab check", absent="profile[]")
        self.assertEqual((report["command"], report["verified"]), ("lab check", False))
        self.assertEqual(report["results"]["passed"], 0)

    def test_lab_advise(self):
        self.write("rates.txt", "card A card\n" + "".join(f"{name} 1e9\n" for name in (
            "copy", "read", "triad", "single", "double", "to_card", "from_card", "to_card_pinned", "from_card_pinned",
            "launch", "resident", "start", "latency")))
        result = self.run_command("lab", "advise", "--rates", "rates.txt", "--bytes", "1000", "--json", "advice.json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assert_documented("advice.json", "tesela lab advise", absent="profile[]")

    def test_lab_run(self):
        source = os.path.join(SOURCE, "tests", "lab", "files", "parts.cu")
        result = self.run_command("lab", "run", source, "--device", "sim:1.0", "--json", "lab.json")
        self.assertEqual(result.returncode, 1, result.stderr)
        # tests/lab/test_run.py compares the names of results.card, which only a card gives
        report = self.assert_documented("lab.json", "tesela lab run", absent=("profile[]", "results.card"))
        self.assertEqual((report["command"], report["verified"]), ("lab run", False))
    def test_pairs_distance(self):
        self.write("points.csv", "0,0\n3,4\n")
        result = self.run_command("pairs", "distance", "points.csv", "-o", "d.npy", "--device",
                                  "cpu", "--json", "pairs.json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assert_documented("pairs.json", "tesela pairs distance", absent="profile[]")

    def test_pairs_neighbors(self):
        self.write("points.csv", "0,0,0\n3,4,0\n")
        result = self.run_command("pairs", "neighbors", "points.csv", "-o", "n.npz", "--device",
                                  "cpu", "--cutoff", "4", "--box", "9,9,9", "--json", "pairs.json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assert_documented("pairs.json", "tesela pairs neighbors", absent="profile[]")

    def test_pairs_histogram(self):
        self.write("points.csv", "0,0,0\n3,4,0\n")
        result = self.run_command("pairs", "histogram", "points.csv", "-o", "h.csv", "--device",
                                  "cpu", "--to", "4", "--box", "9,9,9", "--json", "pairs.json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assert_documented("pairs.json", "tesela pairs histogram", absent="profile[]")

    def test_pairs_of_points(self):
        self.write("points.csv", "0,0,0\n3,4,0\n1,1,1\n")
        for task in (["energy", "points.csv"], ["knn", "points.csv", "-o", "k.npz"],
                     ["triplets", "points.csv"], ["contacts", RECEPTOR, LIGAND]):
            result = self.run_command("pairs", *task, "--device", "cpu", "--json", "pairs.json")
            self.assertEqual(result.returncode, 0, result.stderr)
            absent = ("profile[]", "parameters.box[]")
            self.assert_documented("pairs.json", f"tesela pairs {task[0]}", absent=absent)

    def test_pairs_ladder(self):
        result = self.run_command("pairs", "ladder", "--most", "128", "--repeats", "3", "--device",
                                  "cpu", "--json", "ladder.json")
        self.assertEqual(result.returncode, 0, result.stderr)
        report = self.assert_documented("ladder.json", "tesela pairs ladder", absent=("profile[]", "results.nested[]"))
        self.assertTrue(report["verified"])

    def test_pairs_maps(self):
        result = self.run_command("pairs", "maps", "--cells", "100", "--rows-tried", "5000",
                                  "--device", "cpu", "--json", "maps.json")
        self.assertEqual(result.returncode, 0, result.stderr)
        report = self.assert_documented("maps.json", "tesela pairs maps", absent="profile[]")
        self.assertTrue(report["verified"])

    def test_transpose(self):
        result = self.run_command("transpose", "--shape", "5,6,7", "--device", "cpu", "--json",
                                  "transpose.json")
        self.assertEqual(result.returncode, 0, result.stderr)
        report = self.assert_documented("transpose.json", "tesela transpose")
        self.assertTrue(report["verified"])

    def test_poisson(self):
        header = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2, 2), }\n".encode()
        self.write("in.npy", b"\x93NUMPY\x01\x00" + bytes([len(header), 0]) + header
                   + 4 * struct.pack("<dd", 1, -1))
        self.write("in.cube", "t\nc\n1 0 0 0\n1 1 0 0\n1 0 1 0\n1 0 0 1\n1 1 0 0 0\n1\n")
        for task, name in (["in.npy", "--lengths", "1,1,1", "-o", "out.npy"], "tesela poisson"), \
                (["bench", "--n", "8", "--repeat", "2", "--profile"], "tesela poisson bench"), \
                (["study", "scaling", "--n", "8", "--repeat", "1", "--device", "cpu,cpu"],
                 "tesela poisson study"), \
                (["in.cube", "--nuclei", "add", "--output", "energy"], "tesela poisson"), \
                (["verify"], "tesela poisson verify"):
            result = self.run_command("poisson", "--device", "cpu", *task, "--json", "run.json")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assert_documented("run.json", name, absent=("results.nuclei[]",)
                                   if "in.npy" in task else ())

    def test_solve(self):
        entries = "".join(f"{i} {i} 2\n{i + 1} {i} -1\n" for i in range(1, 100))
        self.write("a.mtx", "%%MatrixMarket matrix coordinate real symmetric\n"
                   f"100 100 199\n{entries}100 100 2\n")
        result = self.run_command("solve", "a.mtx", "--preconditioner", "multigrid",
                                  "--coarse-rows", "10", "--json", "run.json")
        self.assertEqual(result.returncode, 0, result.stderr)
        report = self.assert_documented("run.json", "tesela solve")
        self.assertTrue(report["verified"])
        self.assertGreater(len(report["results"]["levels"]), 1)

    def test_lab_occupancy(self):
        result = self.run_command("lab", "occupancy", "--cc", "9.0", "--all", "--threads", "320",
                                  "--registers", "40", "--json", "report.json")
        self.assertEqual(result.returncode, 0, result.stderr)
        report = self.assert_documented("report.json", "tesela lab occupancy", absent="profile[]")
        self.assertEqual((report["command"], report["device"]), ("lab occupancy", None))
        result = self.run_command("lab", "occupancy", "--all", "--threads", "1024", "--registers",
                                  "255", "--json", "report.json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assert_documented("report.json", "tesela lab occupancy", absent=(
            "profile[]", "results.limits[].", "results.gain.", "results.gain_by_threads."))

    def test_info(self):
        result = self.run_command("info", "--json", "info.json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assert_documented("info.json", "tesela info",
                               absent=("profile[]", "results.devices[].peers[]."))


if __name__ == "__main__":
    unittest.main()
