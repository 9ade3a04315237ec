"""Planted bugs are found at their lines; clean kernels have no report. With each compiler."""

import concurrent.futures
import glob
import os
import re
import sys
import unittest

sys.dont_write_bytecode = True  # leave the source tree as it is
from lab import COMPILERS, HERE, lab_run, lines_of, need_compilers, same_counts


def marks(path):
    """({(line, kind)} that must be told, {(line, kind)} that may be)."""
    must, may = set(), set()
    with open(path, encoding="ascii") as file:
        for number, line in enumerate(file, 1):
            if number > 2: # the file's own comment explains the words
                must |= {(number, kind) for kind in re.findall(r"BUG (\w+)", line)}
                may |= {(number, kind) for kind in re.findall(r"ALSO (\w+)", line)}
    return must, may


def files(folder):
    return sorted(glob.glob(os.path.join(HERE, folder, "*.cu")))


class Checks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        jobs = [(path, compiler) for path in files("bugs") + files("clean")
                for compiler in COMPILERS]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            done = pool.map(lambda job: lab_run(job[0], "--compiler", job[1], "--threads", "1"),
                            jobs)
            cls.runs = dict(zip(jobs, done))

    def test_bugs(self):
        planted = 0
        for path in files("bugs"):
            must, may = marks(path)
            planted += len(must)
            for compiler in COMPILERS:
                with self.subTest(file=os.path.basename(path), compiler=compiler):
                    done, report = self.runs[(path, compiler)]
                    self.assertEqual(done.returncode, 1, done.stderr)
                    reports = report["results"]["reports"]
                    told = {(r["line"], r["kind"]) for r in reports}
                    beside = {(r["other_line"], r["kind"]) for r in reports}
                    self.assertEqual(must - told - beside, set(), "not found")
                    self.assertEqual(told - must - may, set(), "false")
                    for r in reports:
                        self.assertEqual(r["file"], path)
        self.assertGreaterEqual(planted, 30)

    def test_copied(self):
        """What memcpy(), memset() and a loop over characters move in a kernel is counted."""
        for compiler in COMPILERS:
            with self.subTest(compiler=compiler):
                _, report = self.runs[(os.path.join(HERE, "bugs", "calls.cu"), compiler)]
                launch = report["results"]["launches"][0]
                self.assertEqual(launch["kernel"], "copied")
                self.assertEqual({key: (sums["requests"], sums["lanes"]) for key, sums in lines_of(launch).items()},
                                 {("global", "read", 4): (2, 64), ("global", "write", 4): (2, 64),
                                  ("global", "write", 1): (2, 64)})
                launch = report["results"]["launches"][1]
                self.assertEqual(launch["kernel"], "looped")
                self.assertEqual({key: (sums["requests"], sums["lanes"]) for key, sums in lines_of(launch).items()},
                                 {("global", "read", 1): (8, 256), ("global", "write", 1): (8, 256)})

    def test_clean(self):
        kernels = 0
        for path in files("clean"):
            with open(path, encoding="ascii") as file:
                kernels += file.read().count("__global__")
            for compiler in COMPILERS:
                with self.subTest(file=os.path.basename(path), compiler=compiler):
                    done, report = self.runs[(path, compiler)]
                    self.assertIsNotNone(report, done.stderr)
                    self.assertEqual(report["results"]["reports"], [])
                    self.assertEqual(report["results"]["exit_status"], 0, done.stdout)
                    self.assertEqual(done.returncode, 0)
                    self.assertEqual(len(report["results"]["runs"]), 5)
        self.assertGreaterEqual(kernels, 40)

    @unittest.skipUnless(len(COMPILERS) > 1, "one compiler alone is found")
    def test_same_counts(self):
        """Every launch of the clean kernels is counted alike with each compiler, line by line."""
        launches = sum(same_counts(self, [self.runs[(path, compiler)][1] for compiler in COMPILERS], path)
                       for path in files("clean"))
        self.assertGreaterEqual(launches, 60)


if __name__ == "__main__":
    need_compilers()
    unittest.main()
