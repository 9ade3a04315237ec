"""`tesela transpose`: files against a plain oracle, measurements, and what it refuses."""

import ast
import gzip
import itertools
import json
import os
import random
import struct
import subprocess
import sys
import threading
import unittest
import zipfile

sys.dont_write_bytecode = True  # leave the source tree as it is
from command import TESELA, CommandTest, has_library, run

QUICK = ["--device", "cpu", "--threads", "1", "--quiet"]
NAMES = ["xyz", "yxz", "zyx", "xzy", "yzx", "zxy"]


def npy(shape, descr="<f8", fortran=False, version=1, data=None, item=8):
    """The bytes of a .npy file; elements are numbered unless `data` is given."""
    count = 1
    for length in shape:
        count *= length
    if data is None:
        data = b"".join(struct.pack("<Q", i)[:item].ljust(item, b"\7") for i in range(count))
    text = f"{{'descr': {descr!r}, 'fortran_order': {fortran}, 'shape': {tuple(shape)!r}, }}\n"
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + length + text.encode() + data


def parse(data):
    """(header, data) of a .npy file."""
    assert data[:6] == b"\x93NUMPY"
    length = struct.unpack("<H", data[8:10])[0]
    assert (10 + length) % 64 == 0
    return ast.literal_eval(data[10:10 + length].decode()), data[10 + length:]


def transposed(data, item, shape, name):
    """The definition: shape and result are in the order of axes, fastest first."""
    out = bytearray(len(data))
    lengths = dict(zip("xyz", shape))
    points = itertools.product(*(range(lengths[axis]) for axis in "zyx"))
    for i, (z, y, x) in enumerate(points):
        at = {"x": x, "y": y, "z": z}
        to = 0
        for axis in reversed(name):
            to = to * lengths[axis] + at[axis]
        out[to * item:(to + 1) * item] = data[i * item:(i + 1) * item]
    return bytes(out)


class Files(CommandTest):
    def transpose(self, content, *arguments):
        self.write("in.npy", content)
        result = self.run_command("transpose", "in.npy", "-o", "out.npy", *QUICK, *arguments)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        with open(self.path("out.npy"), "rb") as file:
            return parse(file.read())

    def test_all_permutations(self):
        shape = [4, 3, 5]  # x, y, z
        for name, fortran, place in itertools.product(NAMES, (False, True), ([], ["--in-place"])):
            content = npy(shape if fortran else shape[::-1], fortran=fortran)
            header, data = self.transpose(content, "--permute", name, *place)
            expected = [shape["xyz".index(axis)] for axis in name]
            self.assertEqual(header["descr"], "<f8")
            self.assertEqual(header["fortran_order"], fortran)
            self.assertEqual(list(header["shape"]), expected if fortran else expected[::-1])
            self.assertEqual(data, transposed(content[-480:], 8, shape, name))

    def test_types_and_byte_orders(self):
        for descr, item in (("<f4", 4), (">i4", 4), (">c16", 16), ("|V16", 16), ("<M8[ns]", 8),
                            ("<U1", 4)):
            content = npy([2, 3, 7], descr=descr, item=item, version=2)
            header, data = self.transpose(content, "--permute", "yzx")
            self.assertEqual((header["descr"], header["shape"]), (descr, (7, 2, 3)))
            self.assertEqual(data, transposed(content[-42 * item:], item, [7, 3, 2], "yzx"))

    def test_elements_of_any_size(self):
        """Of sizes that no device moves: by lanes that it does."""
        random.seed(2)
        for descr, item in (("<f2", 2), ("|i1", 1), ("|b1", 1), (">u2", 2), ("|S3", 3), ("|V6", 6),
                            ("<U3", 12), ("<c32", 32), ("|S45", 45)):
            content = npy([2, 3, 7], descr=descr, item=item, version=3,
                          data=random.randbytes(42 * item))
            for place in ([], ["--in-place"]):
                header, data = self.transpose(content, "--permute", "yzx", "--json", "run.json",
                                              *place)
                self.assertEqual((header["descr"], header["shape"]), (descr, (7, 2, 3)))
                self.assertEqual(data, transposed(content[-42 * item:], item, [7, 3, 2], "yzx"))
                self.assertEqual(self.read_json("run.json")["parameters"]["element"], item)

    def test_told_by_content(self):
        content = npy([2, 3, 7])
        self.transpose(content, "--permute", "yzx")
        with open(self.path("out.npy"), "rb") as file:
            expected = file.read()
        self.write("array.dat", content)
        self.write("array.npy.gz", gzip.compress(content))
        with zipfile.ZipFile(self.path("array.npz"), "w") as file:
            file.writestr("a.npy", content)
        with zipfile.ZipFile(self.path("arrays.npz"), "w") as file:
            file.writestr("a.npy", content)
            file.writestr("b.npy", content)
        self.assert_refused(["transpose", "arrays.npz", "-o", "new.npy", "--permute", "yzx"],
                            ["arrays.npz: has 2 arrays, a, b: save the one as .npy"])
        os.mkfifo(self.path("pipe"))
        turn = ["transpose", "-o", "out.npy", *QUICK, "--permute", "yzx"]
        for name, data in (("array.dat", None), ("array.npy.gz", None), ("array.npz", None), ("-", content),
                           ("/dev/stdin", content), ("pipe", content)):
            if name.endswith(".gz") and not has_library("zlib"):
                continue
            os.remove(self.path("out.npy"))
            writer = threading.Thread(target=self.write, args=("pipe", data))
            if name == "pipe":
                writer.start()
            result = subprocess.run([TESELA, *turn, name], cwd=self.folder, check=False, timeout=60,
                                    input=data if name != "pipe" else b"", capture_output=True)
            if name == "pipe":
                writer.join()
            self.assertEqual((result.returncode, result.stderr), (0, b""), name)
            with open(self.path("out.npy"), "rb") as file:
                self.assertEqual(file.read(), expected)

    def test_a_shape_that_contradicts_the_file(self):
        """Only cuts of an axis in several, or several taken for one, leave elements in order."""
        turn = ["transpose", "in.npy", "-o", "out.npy", *QUICK, "--permute", "zyx", "--shape"]
        for own, fortran, shape, good in (
                ([3, 4, 5], False, "5,4,3", True), ([3, 4, 5], True, "3,4,5", True),
                ([3, 4, 5], False, "3,4,5", False), ([3, 4, 5], True, "5,4,3", False),
                ([3, 4, 5], False, "60,1,1", False), ([3, 4, 5], False, "10,6,1", False),
                ([12, 5], False, "5,4,3", True), ([12, 5], False, "5,2,6", True),
                ([12, 5], False, "4,5,3", False), ([12, 5], False, "60,1,1", False),
                ([3, 2, 2, 5], False, "5,4,3", True), ([3, 2, 2, 5], False, "10,2,3", True),
                ([3, 2, 2, 5], False, "5,3,4", False), ([60], False, "4,3,5", True)):
            self.write("in.npy", npy(own, fortran=fortran))
            if good:
                result = self.run_command(*turn, shape)
                self.assertEqual((result.returncode, result.stderr), (0, ""), (own, shape))
                os.remove(self.path("out.npy"))
            else:
                self.assert_refused([*turn, shape], ["--shape " + shape, "contradicts", "in.npy",
                                                     ",".join(map(str, own if fortran else own[::-1])),
                                                     "leave --shape out"])

    def test_two_axes_and_a_shape_of_one_s_own(self):
        header, data = self.transpose(npy([3, 2]), "--permute", "yxz")
        self.assertEqual(header["shape"], (2, 3))
        self.assertEqual([i[0] for i in struct.iter_unpack("<Q", data)], [0, 2, 4, 1, 3, 5])
        header, data = self.transpose(npy([60]), "--permute", "zxy", "--shape", "3,4,5")
        self.assertEqual(header["shape"], (4, 3, 5))
        self.assertEqual(data, transposed(npy([60])[-480:], 8, [3, 4, 5], "zxy"))

    def test_there_and_back(self):
        random.seed(1)
        content = npy([31, 17, 23], descr="<i4", item=4, data=random.randbytes(31 * 17 * 23 * 4))
        self.write("in.npy", content)
        for source, target, name, place in (("in.npy", "there.npy", "yzx", []),
                                            ("there.npy", "back.npy", "zxy",
                                             ["--in-place", "--auxiliary", "8K"])):
            result = self.run_command("transpose", source, "-o", target, *QUICK, "--permute",
                                      name, *place)
            self.assertEqual(result.returncode, 0, result.stderr)
        with open(self.path("back.npy"), "rb") as file:
            header, data = parse(file.read())
        self.assertEqual((header["shape"], data), ((31, 17, 23), content[-len(data):]))

    def test_says_what_it_did(self):
        self.write("in.npy", npy([2, 3, 4]))
        result = self.run_command("transpose", "in.npy", "-o", "out.npy", "--permute", "zyx",
                                  "--device", "cpu")
        self.assertIn("out.npy: 2 x 3 x 4 elements of 8 bytes, zyx:", result.stdout)


class Measurements(CommandTest):
    def test_table(self):
        for place in ([], ["--in-place"]):
            result = self.run_command("transpose", "--shape", "40,30,20", "--device", "cpu",
                                      *place)
            self.assertEqual(result.returncode, 0, result.stderr)
            lines = result.stdout.splitlines()
            self.assertEqual([line.split()[0] for line in lines[2:]], ["copy"] + NAMES[1:])
            self.assertTrue(all(" yes" in line for line in lines[3:]), result.stdout)

    def test_every_device_s_kernels(self):
        for device in ("sim", "sim:reversed", "sim:strided"):
            result = self.run_command("transpose", "--shape", "9,10,11", "--device", device,
                                      "--json", "-", "--quiet", "--element", "16")
            self.assertEqual(result.returncode, 0, result.stderr)
            report = json.loads(result.stdout)
            self.assertTrue(report["verified"])
            self.assertEqual([case["value"] for case in report["results"]["cases"]], [0] * 5)

    def test_one_permutation(self):
        result = self.run_command("transpose", "--shape", "9,10,11", "--permute", "zyx",
                                  "--device", "cpu")
        self.assertEqual([line.split()[0] for line in result.stdout.splitlines()[2:]],
                         ["copy", "zyx"])

    def test_nothing_moves(self):
        for shape, name in (("10,10,10", "xyz"), ("100,100,1", "xzy")):
            run = ["transpose", "--shape", shape, "--permute", name, "--device", "cpu"]
            result = self.run_command(*run, "--in-place", "--json", "out.json")
            self.assertRegex(result.stdout, f"\n{name} +nothing moves  yes")
            with open(self.path("out.json"), encoding="utf-8") as file:
                row = json.load(file)["results"]["transpositions"][0]
            self.assertEqual((row["gb_per_second"], row["share_of_copy"]), (0, None))
            result = self.run_command(*run)  # into other memory all does
            self.assertNotIn("nothing moves", result.stdout)

    def test_study_covers_all_tilings(self):
        result = self.run_command("transpose", "--shape", "64,30,20", "--device", "sim", "--study",
                                  "--json", "-", "--quiet")
        rows = json.loads(result.stdout)["results"]["transpositions"]
        tilings = {(row["tile"], row["per_thread"]) for row in rows}
        self.assertEqual(len(rows), 4 * len(tilings))
        self.assertLessEqual({(16, 1), (16, 2), (16, 4), (32, 4), (64, 16)}, tilings)


class Wrong(CommandTest):
    def test_options(self):
        for arguments, words in (
                (["--permute", "xyy"], ["--permute 'xyy'", "zxy"]),
                (["--shape", "3,4"], ["--shape '3,4'", "640,480,3"]),
                (["--shape", "3,0,4"], ["three whole numbers"]),
                (["--shape", "3,4,5,6"], ["three whole numbers"]),
                (["--shape", "99999999999,99999999999,9"], ["more elements than any memory"]),
                (["--element", "2"], ["--element '2'", "4, 8 or 16"]),
                (["--auxiliary", "x"], ["--auxiliary 'x'"]),
                (["--auxiliary", "4K"], ["--auxiliary needs --in-place"]),
                (["--study", "--in-place"], ["--study does not go with --in-place"]),
                (["-o", "out.npy"], ["-o needs a file"]),
                (["in.npy"], ["-o OUT.npy is missing"]),
                (["in.npy", "-o", "out.npy"], ["--permute is missing"]),
                (["in.npy", "-o", "out.h5"], ["-o out.h5", "ends in .npy"]),
                (["in.npy", "b.npy"], ["'b.npy' is one argument too many"]),
                (["in.npy", "-o", "out.npy", "--permute", "yxz", "--study"],
                 ["--study does not go with a file"]),
                (["in.npy", "-o", "no/out.npy", "--permute", "yxz"], ["make that folder first"]),
                (["--device", "cpu,cpu"], ["--device cpu,cpu: this command runs on one device"]),
                (["--device", "cuda:0-1"], ["--device cuda:0-1: this command runs on one"]),
                (["in.npy", "-o", "out.npy", "--permute", "yxz"], ["in.npy: cannot open"])):
            self.assert_refused(["transpose", *arguments], words)

    def test_several_processes(self):
        """Each would do all the work, and say so."""
        for command in (["transpose", "--shape", "4,4,4"], ["fft", "study", "--sizes", "8"]):
            for rank, word in (("0", "start it without a launcher"), ("1", "rank 1: transpose")):
                if rank == "1" and command[0] != "transpose":
                    continue  # one that waits for the leader's line is enough
                environment = {**os.environ, "OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": rank}
                result = run(self.folder, *command, "--device", "cpu", env=environment)
                self.assertEqual((result.returncode, result.stdout), (2, ""))
                self.assertEqual(result.stderr.count("\n"), 1)
                self.assertIn(word, result.stderr)
            environment["OMPI_COMM_WORLD_SIZE"] = "1"
            result = run(self.folder, *command, "--device", "cpu", "--quiet", env=environment)
            self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_files(self):
        for content, words in (
                (b"", ["the file is empty"]),
                (b"PK\3\4 no array at all", ["damaged zip archive"]),
                (b"no array at all", ["is no .npy file"]),
                (b"", ["the file is empty"]),
                (b"\x89HDF\r\n\x1a\n" + bytes(600), ["is an HDF5 file: save the array as .npy"]),
                (npy([2, 3])[:30], ["cut short"]),
                (npy([2, 3, 4])[:-1], ["holds 191 bytes of data where its header says 192"]),
                (npy([2, 3, 4]) + b"x", ["holds 193 bytes"]),
                (npy([2, 3, 4], descr="|O"), ["Python objects"]),
                (npy([2, 3, 4], descr="<q8"), ["'<q8' is no type"]),
                (npy([2, 0, 4], data=b""), ["has no elements"]),
                (npy([2, 3]), ["has 2 axes", "--permute yxz"]),
                (npy([6]), ["has 1 axis: ", "--shape NX,NY,NZ"]),
                (npy([1, 2, 3, 4]), ["has 4 axes"])):
            self.write("in.npy", content)
            self.assert_refused(["transpose", "in.npy", "-o", "out.npy", "--permute", "zyx"],
                                ["in.npy", *words])

    def test_memory_is_foreseen(self):
        for arguments, words in (
                (["--shape", "1000,1000,1000", "--element", "16", "--device", "sim"],
                 ["1000 x 1000 x 1000 elements of 16 bytes need 29.8 GiB, 8.0 GiB are free"]),
                (["--shape", "1000000,1000000,100000", "--device", "cpu"],
                 ["out of memory", "are free"])):
            result = self.run_command("transpose", *arguments)
            self.assertEqual(result.returncode, 3)
            for word in words:
                self.assertIn(word, result.stderr)
        header = npy([5 << 27], data=b"")
        with open(self.path("large.npy"), "wb") as file:
            file.write(header)
            file.truncate(len(header) + (5 << 30))  # a hole: no bytes of the disk
        run = ["transpose", "large.npy", "-o", "out.npy", "--permute", "yxz", "--shape",
               "65536,10240,1", "--device", "sim", "--in-place", "--auxiliary"]
        result = self.run_command(*run, "5G")
        self.assertEqual(result.returncode, 3)
        self.assertIn("large.npy: 671088640 elements of 8 bytes need 10.0 GiB, 8.0 GiB are free",
                      result.stderr)

    def test_what_does_not_fit(self):
        self.write("in.npy", npy([7, 5, 11]))
        run = ["transpose", "in.npy", "-o", "out.npy", "--device", "cpu"]
        self.assert_refused([*run, "--permute", "zyx", "--shape", "7,5,12"],
                            ["--shape 7,5,12", "holds 385 elements"])
        self.assert_refused([*run, "--permute", "zyx", "--element", "4"],
                            ["--element 4", "elements of 8 bytes"])
        self.assert_refused([*run, "--permute", "yzx", "--in-place", "--auxiliary", "16"],
                            ["bytes of auxiliary memory, more than the 16 allowed"])


if __name__ == "__main__":
    unittest.main()
