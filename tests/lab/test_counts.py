"""Counts of `tesela lab run` against closed forms, with each compiler, and alike."""

import math
import os
import re
import shutil
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True  # leave the source tree as it is
from lab import COMPILERS, HERE, lab_run, lines_of, need_compilers, same_counts

ACCESS = os.path.join(HERE, "counts", "access.cu")
STRUCTS = os.path.join(HERE, "counts", "structs.cu")
VALUES = os.path.join(HERE, "counts", "values.cu")
READ, WRITE = ("global", "read", 4), ("global", "write", 4)
SHARED_READ, SHARED_WRITE = ("shared", "read", 4), ("shared", "write", 4)
WIDTH = 256


def sectors_of(addresses, size):
    """Sectors of 32 bytes that a request touches."""
    return len({byte // 32 for a in addresses for byte in (a, a + size - 1)})


def wavefronts_of(words):
    """The most distinct words in one of 32 banks."""
    return max(len({w for w in words if w % 32 == bank}) for bank in range(32))


def by_kernel(report):
    found = {}
    for launch in report["results"]["launches"]:
        found.setdefault(launch["kernel"], []).append(launch)
    return found


class Counts(unittest.TestCase):
    """One run with each compiler, looked at by all tests."""

    @classmethod
    def setUpClass(cls):
        cls.runs = {}
        for compiler in COMPILERS:
            done, report = lab_run(ACCESS, "--compiler", compiler, "--counts", "--", str(WIDTH))
            assert done.returncode == 0, done.stderr + done.stdout
            cls.runs[compiler] = by_kernel(report)

    def each(self, kernel):
        for compiler, kernels in self.runs.items():
            with self.subTest(compiler=compiler, kernel=kernel):
                yield kernels[kernel]

    def test_strides(self):
        for launches in self.each("strided"):
            self.assertEqual(len(launches), 32)
            for stride, launch in enumerate(launches, 1):
                warps = [[4 * stride * (32 * w + lane) for lane in range(32)] for w in range(32)]
                want = sum(sectors_of(addresses, 4) for addresses in warps)
                self.assertEqual(want, 32 * min(4 * stride, 32))
                self.assertEqual(launch["global_read_sectors"], want)
                self.assertEqual(launch["global_write_sectors"], want)
                self.assertEqual(lines_of(launch)[READ]["requests"], 32)

    def test_offsets(self):
        for launches in self.each("offset"):
            for by, launch in enumerate(launches):
                self.assertEqual(launch["global_read_sectors"], 8 * (4 if by % 8 == 0 else 5))
                self.assertEqual(launch["global_write_sectors"], 32)

    def test_banks(self):
        for launches in self.each("banks"):
            for stride, launch in enumerate(launches, 1):
                want = wavefronts_of([stride * lane for lane in range(32)])
                self.assertEqual(want, math.gcd(stride, 32))
                self.assertEqual(launch["shared_wavefronts"], 2 * want)
                self.assertEqual(launch["bank_conflicts"], 2 * (want - 1))

    def test_wide(self):
        for launches in self.each("vectors"):
            lines = lines_of(launches[0])
            for memory, access in (("global", "read"), ("global", "write")):
                self.assertEqual(lines[(memory, access, 16)]["requests"], 8)
                self.assertEqual(lines[(memory, access, 16)]["sectors"], 128)
            for access in ("read", "write"):
                self.assertEqual(lines[("shared", access, 16)]["wavefronts"], 32)
                self.assertEqual(lines[("shared", access, 16)]["bank_conflicts"], 0)
        for launches in self.each("doubles"):
            lines = lines_of(launches[0])
            self.assertEqual(lines[("global", "read", 8)]["sectors"], 64)
            self.assertEqual(lines[("shared", "read", 8)]["wavefronts"], 16)
            self.assertEqual(lines[("shared", "read", 8)]["bank_conflicts"], 0)

    def test_divergence(self):
        """Lanes meet again: three outer trips with two inner reads at most, in all 6 requests."""
        for launches in self.each("diverge"):
            lines = {(line["line"], line["access"]): line for line in launches[0]["lines"]}
            inner = [line for line in lines.values()
                     if line["access"] == "read" and line["requests"] == 6]
            self.assertEqual(len(inner), 1)
            self.assertEqual(inner[0]["lanes"], sum(i % 4 * (1 + i % 2) for i in range(32)))

    def test_reduction(self):
        blocks, n = 10, 2500
        steps = [128, 64, 32, 16, 8, 4, 2, 1]
        requests = sum(max(1, k // 32) for k in steps)
        for launches in self.each("reduce"):
            lines = lines_of(launches[0])
            self.assertEqual(lines[READ]["sectors"], math.ceil(n / 8))
            self.assertEqual(lines[WRITE]["sectors"], blocks)
            self.assertEqual(lines[SHARED_READ]["wavefronts"], blocks * (2 * requests + 1))
            self.assertEqual(lines[SHARED_WRITE]["wavefronts"], blocks * (requests + 8))
            self.assertEqual(launches[0]["bank_conflicts"], 0)
        for launches in self.each("reduceInterleaved"):
            reads, writes = 1, 8  # the last read, the first writes
            for k in (1, 2, 4, 8, 16, 32, 64, 128):
                lanes = [t for t in range(256) if 2 * k * t < 256]
                for w in range(0, 256, 32):
                    warp = [t for t in lanes if w <= t < w + 32]
                    if warp:
                        here = wavefronts_of([2 * k * t for t in warp])
                        reads += here + wavefronts_of([2 * k * t + k for t in warp])
                        writes += here
            lines = lines_of(launches[0])
            self.assertEqual(lines[SHARED_READ]["wavefronts"], reads)
            self.assertEqual(lines[SHARED_WRITE]["wavefronts"], writes)

    def test_broadcast_and_atomics(self):
        for launches in self.each("broadcast"):
            self.assertEqual(launches[0]["global_read_sectors"], 1)
            self.assertEqual(launches[0]["bank_conflicts"], 0)
            self.assertEqual(launches[0]["shared_wavefronts"], 2)
        for launches in self.each("atomics"):
            self.assertEqual(launches[0]["global_atomic_sectors"], 2)
            self.assertEqual(launches[0]["global_read_sectors"], 0)

    def test_transposes(self):
        requests = WIDTH * WIDTH // 32
        for launches in self.each("transposeNaive"):
            self.assertEqual(launches[0]["global_read_sectors"], 4 * requests)
            self.assertEqual(launches[0]["global_write_sectors"], 32 * requests)
        for launches in self.each("transposeTile<0>"):
            self.assertEqual(launches[0]["global_write_sectors"], 4 * requests)
            self.assertEqual(launches[0]["bank_conflicts"], 31 * requests)
            self.assertEqual(launches[0]["shared_wavefronts"], 33 * requests)
        for launches in self.each("transposeTile<1>"):
            self.assertEqual(launches[0]["bank_conflicts"], 0)
            self.assertEqual(launches[0]["shared_wavefronts"], 2 * requests)

    def test_alike(self):
        """Both compilers' files have the same totals, launch by launch."""
        totals = [[{k: v for k, v in launch.items()
                    if k.endswith(("sectors", "wavefronts", "conflicts"))}
                   for launches in kernels.values() for launch in launches]
                  for kernels in self.runs.values()]
        for other in totals[1:]:
            self.assertEqual(totals[0], other)


class Processes(unittest.TestCase):
    def test_any_number(self):
        """Blocks shared among processes: the same counts, line by line."""
        found = []
        for processes in (1, 2, 3, 7):
            done, report = lab_run(ACCESS, "--compiler", COMPILERS[0], "--counts", "--threads",
                                   str(processes), "--", "256")
            self.assertEqual(done.returncode, 0, done.stderr)
            for launch in report["results"]["launches"]:
                del launch["seconds"]
            found.append(report["results"]["launches"])
        for other in found[1:]:
            self.assertEqual(found[0], other)


def pieces_of_name(name):
    """S12_4 is copied in 3 pieces of 4 bytes."""
    size, alignment = (int(x) for x in re.fullmatch(r"[SA](\d+)_(\d+)", name).groups())
    return {min(alignment, 16): size // min(alignment, 16)}


OWN = {"float2": {8: 1}, "float3": {4: 3}, "float4": {16: 1}, "double2": {16: 1}, "uchar4": {4: 1},
       "short4": {8: 1}, "int3": {4: 3}}


def struct_names():
    with open(STRUCTS, encoding="ascii") as file:
        return re.findall(r"X\((\w+)\)", file.read().split("#define COPIES(X)")[1])


class Structs(unittest.TestCase):
    """Copies of structs go in pieces as wide as the struct is aligned, at most 16 bytes."""

    def test_pieces(self):
        for compiler in COMPILERS:
            done, report = lab_run(STRUCTS, "--compiler", compiler)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            launches = report["results"]["launches"]
            self.assertEqual(len(launches), len(struct_names()))
            for name, launch in zip(struct_names(), launches):
                want = OWN.get(name) or pieces_of_name(name)
                for access in ("read", "write"):
                    got = {key[2]: line["requests"] for key, line in lines_of(launch).items()
                           if key[1] == access}
                    self.assertEqual(got, want, f"{compiler}: {access} of {name}")

    @unittest.skipUnless(shutil.which("nvcc"), "nvcc is not found")
    def test_as_nvcc(self):
        found = accesses_of_nvcc(STRUCTS)
        self.assertEqual(len(found), len(struct_names()))
        for name, kernel in zip(struct_names(), found):
            want = OWN.get(name) or pieces_of_name(name)
            self.assertEqual(kernel, {("global", "read", b): n for b, n in want.items()} |
                             {("global", "write", b): n for b, n in want.items()}, name)


def accesses_of_nvcc(path):
    """Of each kernel {(memory, access, bytes): how many} in nvcc's PTX."""
    ptx = subprocess.run(["nvcc", "-arch=sm_90", "-ptx", "-o", "-", path], text=True,
                         stdout=subprocess.PIPE, check=True).stdout
    found = []
    for line in ptx.split("\n"):
        if ".entry" in line:
            found.append({})
        access = re.search(r"\b(ld|st)\.(global|shared)(?:\.\w+)*?(?:\.v(\d))?\.[a-z](\d+)\s", line)
        if access:
            key = (access[2], "read" if access[1] == "ld" else "write", int(access[3] or 1) * int(access[4]) // 8)
            found[-1][key] = found[-1].get(key, 0) + 1
    return found


class Values(unittest.TestCase):
    """Of structs that functions take and return by value the members that are used are accessed, once each."""

    WARPS = 2
    WANT = [{READ: 1, WRITE: 1}, {READ: 6, WRITE: 3}, {READ: 3, WRITE: 1}, {READ: 2, WRITE: 2}, {READ: 6, WRITE: 3},
            {("global", "read", 1): 3, ("global", "write", 1): 1}, {("global", "read", 1): 3, WRITE: 1},
            {SHARED_WRITE: 3, SHARED_READ: 6, WRITE: 1}, {WRITE: 5}]

    def test_members(self):
        reports = []
        for compiler in COMPILERS:
            done, report = lab_run(VALUES, "--compiler", compiler)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            reports.append(report)
            got = [{key: line["requests"] // self.WARPS for key, line in lines_of(launch).items()}
                   for launch in report["results"]["launches"]]
            self.assertEqual(got, self.WANT, compiler)
        same_counts(self, reports, VALUES)

    @unittest.skipUnless(shutil.which("nvcc"), "nvcc is not found")
    def test_as_nvcc(self):
        self.assertEqual(accesses_of_nvcc(VALUES), self.WANT)


if __name__ == "__main__":
    need_compilers()
    unittest.main()
