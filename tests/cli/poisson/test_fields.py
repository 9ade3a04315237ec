"""Fields as other programs write them: read by content, from anywhere, with numbers of every type;
and what `tesela poisson` says where a file may not be what is meant."""

import gzip
import hashlib
import math
import os
import random
import struct
import subprocess
import sys
import threading
import unittest
import zipfile

sys.dont_write_bytecode = True  # leave the source tree as it is
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from command import TESELA, CommandTest, has_library
from test_poisson import QUICK, SHAPE, npy, parse, wave

LOUD = ["--device", "cpu", "--threads", "1"]
BOHR = 0.529177210903  # angstrom


def cube(values, shape=SHAPE, steps=(0.5, 0.25, 0.4), atoms=((8, 8.0, 1, 0.5, 1),),
         digits="{:.12e}", title="t", sign=1, unit=1.0, ident=None):
    """The text of a cube; `sign`: of numbers of samples, `unit`: of its lengths."""
    lines = [title, "c", f"{len(atoms) * (-1 if ident else 1)} 0 0 0"]
    for axis in range(3):
        step = [repr(steps[axis] * unit) if other == axis else "0.0" for other in range(3)]
        lines.append(f"{sign * shape[axis]} " + " ".join(step))
    for number, charge, *at in atoms:
        lines.append(f"{number} {charge} " + " ".join(repr(x * unit) for x in at))
    lines += [ident] if ident else []
    lines += [digits.format(value) for value in values]
    return "\n".join(lines) + "\n"


class Fields(CommandTest):
    def solve(self, name, *arguments, data=None, status=0):
        """Solve a file, loudly; returns what was said and the potential."""
        if os.path.exists(self.path("out.npy")):
            os.remove(self.path("out.npy"))
        result = subprocess.run([TESELA, "poisson", name, "-o", "out.npy", *LOUD, *arguments],
                                cwd=self.folder, check=False, timeout=60, capture_output=True,
                                input=data if data is not None else b"")
        told = result.stderr.decode()
        self.assertEqual(result.returncode, status, told)
        return told, parse(self.path("out.npy"))[1] if status == 0 else None

    def energy(self, name, *arguments):
        """What is said while the energy is computed."""
        result = self.run_command("poisson", name, "--output", "energy", *LOUD, *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stderr.replace("tesela: device: cpu (1 thread)\n", "")

    def assert_near(self, found, wanted, bound):
        self.assertEqual(len(found), len(wanted))
        self.assertLess(max(abs(a - b) for a, b in zip(found, wanted)),
                        bound * max(map(abs, wanted)))


class Arrays(Fields):
    LENGTHS = ["--lengths", "3,1,2"]

    def setUp(self):
        super().setUp()
        random.seed(4)
        self.source = [random.randrange(-50, 50) for _ in range(120)]
        self.source[0] -= sum(self.source)
        self.write("in.npy", npy(self.source))
        _, self.potential = self.solve("in.npy", *self.LENGTHS)

    def test_every_type_order_and_version(self):
        """Each element in its own bytes; a Fortran order has the first axis fastest."""
        turned = [self.source[(x * 4 + y) * 5 + z] for z in range(5) for y in range(4)
                  for x in range(6)]
        codes = {"f2": "e", "f4": "f", "f8": "d", "i2": "h", "i4": "i", "i8": "q", "c8": "ff",
                 "c16": "dd"}
        for kind, code in codes.items():
            for order, version in ((">", 1), ("<", 2), ("=" if kind != "f4" else "", 3)):
                for fortran in (False, True):
                    pack = struct.Struct((order if order == ">" else "<") + code).pack
                    extra = [0] * (len(code) - 1)
                    data = b"".join(pack(value, *extra)
                                    for value in (turned if fortran else self.source))
                    text = (f"{{'descr': '{order}{kind}', 'fortran_order': {fortran}, "
                            f"'shape': (6, 4, 5)}}\n")
                    length = struct.pack("<H" if version == 1 else "<I", len(text))
                    self.write("x.npy", b"\x93NUMPY" + bytes([version, 0]) + length +
                               text.encode() + data)
                    told, found = self.solve("x.npy", *self.LENGTHS)
                    self.assertNotIn("x.npy", told)
                    single = kind in ("f2", "f4", "c8")
                    self.assert_near(found, self.potential, 1e-6 if single else 1e-13)

    def test_what_is_lost_is_said(self):
        content = npy([0] * 119 + [2 ** 53 + 1], descr="<i8")
        self.write("x.npy", content)
        told, _ = self.solve("x.npy", "--background", *self.LENGTHS)
        self.assertNotIn("rounded", told)  # to 2^53, which is not beyond it
        self.write("x.npy", npy([0] * 118 + [2 ** 60 + 1, -2 ** 60], descr="<i8"))
        told, _ = self.solve("x.npy", "--background", *self.LENGTHS)
        self.assertIn("x.npy: 2 of its integers are beyond 2^53: they are rounded", told)
        data = b"".join(struct.pack("<dd", value, value == self.source[7]) for value in self.source)
        self.write("x.npy", npy([]).split(b"\n")[0].replace(b"<f8", b"<c16")[10:])
        text = b"{'descr': '<c16', 'fortran_order': False, 'shape': (6, 4, 5)}\n"
        self.write("x.npy", b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text + data)
        told, _ = self.solve("x.npy", *self.LENGTHS, status=2)
        first = self.source.index(self.source[7])
        self.assertIn(f"element [0, {first // 5}, {first % 5}] has an imaginary part", told)

    def test_the_energy_alone_is_beyond_numbers(self):
        source, k2 = wave((3, 1, 2))
        self.write("large.npy", npy([1e300 * value for value in source]))
        result = self.run_command("poisson", "large.npy", "-o", "out.npy", "--lengths", "3,1,2",
                                  "--json", "run.json", *QUICK[:-1])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("large.npy: its energy is beyond any number, and left out", result.stderr)
        self.assertIn("energy      beyond any number\n", result.stdout)
        self.assertIsNone(self.read_json("run.json")["results"]["energy"])
        self.assert_near(parse(self.path("out.npy"))[1],
                         [4e300 * math.pi / k2 * value for value in source], 1e-13)

    def test_told_by_content(self):
        content = npy(self.source)
        names = {"noname": content, "wrong.cube": content, "IN.NPY": content}
        if has_library("zlib"):
            names["in.npy.gz"] = names["packed"] = gzip.compress(content)
        for name, data in names.items():
            self.write(name, data)
            self.assertEqual(self.solve(name, *self.LENGTHS)[1], self.potential, name)
            for standard in ("-", "/dev/stdin"):
                self.assertEqual(self.solve(standard, *self.LENGTHS, data=data)[1], self.potential)
        told, _ = self.solve("-", *self.LENGTHS, data=content[:-8], status=2)
        self.assertIn("standard input: holds less data than the 960 bytes", told)
        told, _ = self.solve("-", *self.LENGTHS, data=content + b"\0", status=2)
        self.assertIn("standard input: holds more data", told)

    def test_pipes_are_opened_once(self):
        text = cube(wave((3, 1, 2))[0]).encode()
        self.write("x.cube", text)
        _, wanted = self.solve("x.cube")
        os.mkfifo(self.path("pipe"))
        for data, expected, more in ((npy(self.source), self.potential, self.LENGTHS),
                                     (text, wanted, [])):
            writer = threading.Thread(target=self.write, args=("pipe", data))
            writer.start()
            _, found = self.solve("pipe", *more)
            writer.join()
            self.assertEqual(found, expected)

    def archive(self, name, arrays, packed=False):
        """As numpy.savez() writes it."""
        with zipfile.ZipFile(self.path(name), "w", zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED) as file:
            for member, data in arrays.items():
                file.writestr(member, data)

    def test_arrays_of_archives(self):
        good, other = npy(self.source), npy([2 * value for value in self.source])
        for packed in (False, True) if has_library("zlib") else (False,):
            self.archive("one.npz", {"notes.txt": b"x", "rho.npy": good}, packed)
            self.assertEqual(self.solve("one.npz", *self.LENGTHS)[1], self.potential)
            with open(self.path("one.npz"), "rb") as file:
                self.assertEqual(self.solve("-", *self.LENGTHS, data=file.read())[1], self.potential)
            self.archive("two.npz", {"b.npy": other, "rho.npy": good}, packed)
            self.solve("two.npz", *self.LENGTHS, "--dataset", "rho", "--json", "run.json")
            self.assertEqual(parse(self.path("out.npy"))[1], self.potential)
            self.assertEqual(self.read_json("run.json")["parameters"]["dataset"], "rho")
            # what else an archive holds may have other axes, or be no numbers
            self.archive("more.npz", {"axes.npy": npy([1.0, 2.0, 3.0], shape=(3,)), "rho.npy": good,
                                      "text.npy": b"nothing"}, packed)
            told, found = self.solve("more.npz", *self.LENGTHS)
            self.assertEqual(found, self.potential)
            self.assertIn("more.npz: of its 3 arrays 'rho' is read, the only one of three axes", told)
        with open(self.path("one.npz"), "rb") as file:
            whole = bytearray(file.read())
        self.write("cut.npz", bytes(whole[:-30]))
        whole[len(whole) // 2] ^= 1
        self.write("damaged.npz", bytes(whole))
        self.archive("none.npz", {"notes.txt": b"x"})
        for name, more, words in (("two.npz", [], "two.npz: has 2 arrays, b, rho: say with --dataset which"),
                                  ("two.npz", ["--dataset", "q"], "two.npz: has no array 'q': it has b, rho"),
                                  ("none.npz", [], "none.npz: is a zip archive without .npy files"),
                                  ("cut.npz", [], "cut.npz: damaged zip archive"),
                                  ("damaged.npz", [], "damaged.npz: damaged zip archive")):
            self.assertIn(words, self.solve(name, *self.LENGTHS, *more, status=2)[0])

    def test_the_same_command_gives_the_same_bits(self):
        """Of lengths for which FFTW has many plans to measure, where the environment says nothing
        of how."""
        environment = {name: value for name, value in os.environ.items() if name != "TESELA_FFTW"}
        random.seed(5)
        shape = (40, 36, 42)
        source = [random.uniform(-1, 1) for _ in range(shape[0] * shape[1] * shape[2])]
        self.write("x.npy", npy(source, shape))
        for boundary in ("periodic", "free"):
            digests = set()
            for _ in range(4):
                result = subprocess.run([TESELA, "poisson", "x.npy", "-o", "x.out.npy", "--lengths",
                                         "3,1,2", "--background" if boundary == "periodic" else
                                         "--boundary=free", *QUICK], cwd=self.folder, check=False,
                                        env=environment, capture_output=True, timeout=60)
                self.assertEqual(result.returncode, 0, result.stderr)
                with open(self.path("x.out.npy"), "rb") as file:
                    digests.add(hashlib.sha256(file.read()).hexdigest())
            self.assertEqual(len(digests), 1)


class Cubes(Fields):
    def setUp(self):
        super().setUp()
        self.source, _ = wave((3, 1, 2))
        self.write("in.cube", cube(self.source))
        _, self.potential = self.solve("in.cube")

    def test_angstrom(self):
        self.write("x.cube", cube(self.source, sign=-1, unit=BOHR))
        told, found = self.solve("x.cube")
        self.assertIn("x.cube: negative numbers of samples: its lengths are read as angstrom", told)
        self.assert_near(found, self.potential, 1e-13)
        result = self.run_command("poisson", "x.cube", "-o", "out.cube", *QUICK)
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(self.path("out.cube"), encoding="ascii") as file:
            lines = file.read().splitlines()
        self.assertEqual(lines[3].split()[:2], ["6", "0.500000"])  # in bohr
        self.assertEqual(lines[6].split()[2], "1.000000")

    def test_one_field_behind_its_id(self):
        self.write("x.cube", cube(self.source, ident="    1   36"))
        self.assertEqual(self.solve("x.cube")[1], self.potential)
        self.write("x.cube", cube(self.source * 2, ident="    2   36   37"))
        self.assertIn("x.cube:8: holds 2 fields", self.solve("x.cube", status=2)[0])

    def test_names_and_marks(self):
        text = cube(self.source)
        for name, content in (("X.CUBE", text), ("cube", text), ("mark.cube", "\ufeff" + text),
                              ("long.cube", "y" * 300000 + text)):
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write(content)
            self.assertEqual(self.solve(name)[1], self.potential, name)

    def test_numbers_of_all_sizes(self):
        for text in ("1e-999", "0." + 400 * "0" + "1", "-1.0D-400"):
            values = [text] + self.source[1:]
            zero = [0.0] + self.source[1:]
            self.write("x.cube", cube(zero))
            told, wanted = self.solve("x.cube", "--background", "--sign", "charge")
            self.write("x.cube", cube(zero).replace("0.000000000000e+00", text, 1))
            self.assertEqual(values[0], text)
            self.assertEqual(self.solve("x.cube", "--background", "--sign", "charge"),
                             (told, wanted))
        for text, words in (("1e999", "beyond what double precision holds"),
                            ("1" + 400 * "0", "beyond what double precision holds"),
                            ("*****", "Fortran writes stars"), ("nan", "no finite number")):
            self.write("x.cube", cube(zero).replace("0.000000000000e+00", text, 1))
            told, _ = self.solve("x.cube", status=2)
            self.assertIn("x.cube:8: '" + text[:20], told)
            self.assertIn(words, told)

    def test_neutral_to_its_own_digits(self):
        """What rounding to few digits makes of a neutral charge is no net charge."""
        random.seed(6)
        values = [random.gauss(0, 1) for _ in range(1000)]
        mean = sum(values) / 1000
        values = [value - mean for value in values]
        shape, steps = (10, 10, 10), (1, 1, 1)
        for digits, noted in (("{:.5e}", False), ("{:.2e}", True), ("{:.3f}", True)):
            rounded = [float(digits.format(value)) for value in values]
            self.assertGreater(abs(sum(rounded)), 1e-9 * sum(map(abs, rounded)))
            self.write("x.cube", cube(values, shape, steps, digits=digits))
            told, _ = self.solve("x.cube", "--sign", "charge")
            self.assertEqual("is taken for 0" in told, noted, told)
        self.write("x.cube", cube([value + 1e-3 for value in values], shape, steps))
        self.assertIn("net charge of 1,", self.solve("x.cube", "--sign", "charge", status=2)[0])


class Doubts(Fields):
    """What is read as asked, and may not be meant."""

    @staticmethod
    def gaussian(width=0.09, shape=(16, 16, 16), steps=(1 / 16, 1 / 16, 1 / 16)):
        at = [[(i - 0.5 * n) * h for i in range(n)] for n, h in zip(shape, steps)]
        return [math.exp(-0.5 * (x * x + y * y + z * z) / width ** 2) for x in at[0] for y in at[1]
                for z in at[2]]

    def cube(self, values, **options):
        self.write("x.cube", cube(values, (16, 16, 16), (1 / 16,) * 3, **options))

    def test_no_density_of_electrons(self):
        density = self.gaussian()
        free = ["x.cube", "--boundary", "free"]
        self.cube(density)
        self.assertEqual(self.energy(*free), "")
        self.cube(density, ident="1 5")
        self.assertIn("its header has an id, 5, as those of orbitals", self.energy(*free))
        self.assertNotIn("id, 5", self.energy(*free, "--sign", "charge"))
        self.cube(density, title="Electrostatic potential from SCF")
        self.assertIn("its comment says 'potential'", self.energy(*free))
        for title, word in (("ELF", "ELF"), ("alpha HOMO", "HOMO"), ("total_esp", "ESP"),
                            ("V_HARTREE CUBE FILE", "v_hartree"), ("Fukui f+", "Fukui"),
                            ("Density Difference", "density difference")):
            self.cube(density, title=title)
            self.assertIn(f"its comment says '{word}'", self.energy(*free))
        self.cube(density, title="SELF-consistent density, E = -76 hartree, steps 5")
        self.assertEqual(self.energy(*free), "")
        self.cube(density, title="Spinel, by pseudopotentials")
        self.assertEqual(self.energy(*free), "")
        signed = [value * (1 if i % 16 < 8 else -0.3) for i, value in enumerate(density)]
        self.cube(signed)
        told = self.energy(*free)
        below = 100 * -sum(min(0, v) for v in signed) / sum(map(abs, signed))
        self.assertIn(f"below zero, down to {min(signed):.3g}, {below:.3g} % of all", told)
        self.assertIn("--sign charge", told)
        self.assertEqual(self.energy(*free, "--sign", "charge"), "")
        self.cube([1e4 * value for value in density])
        self.assertIn("its atoms have 8: is it a potential", self.energy(*free))
        self.cube([value - 1e-9 for value in density])  # as plane waves leave it
        self.assertEqual(self.energy(*free), "")

    def test_net_charge(self):
        density = self.gaussian()
        held = sum(density) / 16 ** 3
        add = ["x.cube", "--boundary", "free", "--nuclei", "add"]
        for electrons, words in ((8, None), (6, "net charge of 2.0000 e: is it an ion, or are"),
                                 (6.05, "net charge of 1.9500 e is no whole number")):
            self.cube([electrons / held * value for value in density])
            told = self.energy(*add)
            if words is None:
                self.assertEqual(told, "")
            else:
                self.assertIn(words, told)
                self.assertIn("--valence", told)

    def test_sources_at_free_faces(self):
        for values, noted in (([1.0] * 4096, True), (self.gaussian(), False),
                              (self.gaussian(0.2), True)):
            faces = [value for i, value in enumerate(values)
                     if {0, 15} & {i // 256, i // 16 % 16, i % 16}]
            self.write("x.npy", npy(values, (16, 16, 16)))
            box = ["x.npy", "--lengths", "1,1,1"]
            told = self.energy(*box, "--boundary", "free")
            if not noted:
                self.assertEqual(told, "")
                continue
            self.assertIn(f"x.npy: {100 * sum(faces) / sum(values):.2g} % of the source", told)
            self.assertIn("--kernel integrated", told)
            self.assertEqual(self.energy(*box, "--boundary", "free", "--kernel", "integrated"), "")
            self.assertEqual(self.energy(*box, "--background"), "")
            told = self.energy(*box, "--boundary", "periodic,periodic,free")
            self.assertIn("take a larger box\n", told)  # where the other kernels are not

    def test_point_kernel_on_long_cells(self):
        self.write("x.npy", npy(self.gaussian(), (16, 16, 16)))
        for edges, words in (("1,1,50", "50 times as long as wide"), ("3,1,1", "3 times"),
                             ("2,1,1", None)):
            told = self.energy("x.npy", "--lengths", edges, "--boundary", "free", "--kernel", "point")
            if words is None:
                self.assertEqual(told, "")
            else:
                self.assertIn(words, told)
                self.assertIn("--kernel integrated", told)


@unittest.skipUnless(has_library("HDF5"), "built without HDF5")
class Hdf5(Fields):
    def setUp(self):
        super().setUp()
        self.source, _ = wave((3, 1, 2))
        self.write("in.npy", npy(self.source))
        for name in ("one.h5", "once.npy"):
            result = self.run_command("poisson", "in.npy", "-o", name, "--lengths", "3,1,2", *QUICK)
            self.assertEqual(result.returncode, 0, result.stderr)
        _, self.potential = self.solve("once.npy", "--lengths", "3,1,2")

    def test_its_own_files_say_all(self):
        """The only dataset, with an attribute of its lengths."""
        told, found = self.solve("one.h5", "--json", "run.json")
        self.assertEqual(found, self.potential)
        self.assertNotIn("one.h5", told)
        parameters = self.read_json("run.json")["parameters"]
        self.assertEqual((parameters["dataset"], parameters["lengths"]), ("potential", [3, 1, 2]))
        self.assertNotIn("one.h5", self.solve("one.h5", "--lengths", "3,1,2")[0])
        told, _ = self.solve("one.h5", "--lengths", "6,1,2")
        self.assertIn("one.h5: 'potential' has an attribute with its lengths, 3,1,2: those of "
                      "--lengths are taken", told)

    def test_from_anywhere(self):
        with open(self.path("one.h5"), "rb") as file:
            content = file.read()
        os.mkfifo(self.path("pipe"))
        self.write("one.npy", content)
        self.assertEqual(self.solve("one.npy")[1], self.potential)
        for data in [content] + ([gzip.compress(content)] if has_library("zlib") else []):
            self.assertEqual(self.solve("-", data=data)[1], self.potential)
            writer = threading.Thread(target=self.write, args=("pipe", data))
            writer.start()
            self.assertEqual(self.solve("pipe")[1], self.potential)
            writer.join()

    def test_no_room_to_write(self):
        """A limit on the size of files: one line, with the reason, and nothing is left behind."""
        random.seed(7)
        values = [random.uniform(-1, 1) for _ in range(16 ** 3)]
        self.write("x.npy", npy(values, (16, 16, 16)))
        before = sorted(os.listdir(self.folder))
        result = subprocess.run(["sh", "-c", 'ulimit -f 8; exec "$@"', "sh", TESELA, "poisson",
                                 "x.npy", "--lengths", "1,1,1", "--background", "-o", "x.h5",
                                 *QUICK], cwd=self.folder, check=False, capture_output=True,
                                timeout=60)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn(b"x.h5: cannot write: File too large; free some space", result.stderr)
        self.assertEqual(result.stderr.count(b"\n"), 1)
        self.assertEqual(sorted(os.listdir(self.folder)), before)


if __name__ == "__main__":
    unittest.main()
