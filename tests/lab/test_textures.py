"""Textures of `tesela lab run` against formulas in exact arithmetic, and against a card's own output."""

import hashlib
import math
import os
import re
import struct
import sys
import unittest
from fractions import Fraction

sys.dont_write_bytecode = True  # leave the source tree as it is
from lab import COMPILERS, HERE, lab_run, need_compilers

TEXTURES = os.path.join(HERE, "files", "textures.cu")
W, H, D, STEPS = 5, 3, 2, 40
# Of what textures.cu, built by nvcc 13.0, prints on an H200: `nvcc -o t tests/lab/files/textures.cu && ./t | sha256sum`.
ON_A_CARD = "c25ab9a3ddc9fd7562e68ac468248ff20cccec3ce3d96079a14c5ba2bb4c6a10"


def single(x):
    return Fraction(struct.unpack("<f", struct.pack("<f", float(x)))[0])


def coordinate(step, extent, shift):
    return single(Fraction((step * 7 % STEPS - 12) * extent, 16) + single(shift))


def place(i, n, mode):
    """Where index i of n reads; None: the border."""
    if mode == "border":
        return i if 0 <= i < n else None
    if mode == "clamp":
        return min(max(i, 0), n - 1)
    period = i % n if mode == "wrap" else i % (2 * n)
    return period if period < n else 2 * n - 1 - period


def shares(whole, beyond):
    """(left, right) parts of a number of 1/256, of which the right one is rounded."""
    right = math.floor(whole * beyond + Fraction(1, 2))
    return whole - right, right


def weights(beyond):
    """Of the corners of a cell, split along z, x and y; in pairs of sides the outer ones are rounded along y."""
    found = {}
    for z, part in enumerate(shares(256, beyond[2])):
        for x, column in enumerate(shares(part, beyond[0])):
            inner, outer = shares(column, beyond[1] if x else 1 - beyond[1])
            found[x, x, z], found[x, 1 - x, z] = outer, inner
    return found


def fetch(texel, extents, at, mode, linear, border, whole=False):
    """The value at coordinates in texels: `texel` gives one at indices. `whole`: sums are whole numbers."""
    axes = range(len(extents))
    if not linear:
        indices = [place(math.floor(at[k]), extents[k], mode) for k in axes]
        return border if None in indices else texel(*indices)
    used, centre = len(extents), Fraction(1, 2)
    extents = (*extents, 1, 1)[:3]
    at = (*at, 0, centre) if used == 1 else (*at, centre) if used == 2 else at
    if mode == "clamp":
        at = [min(max(at[k], centre), extents[k] - centre) for k in range(3)]
    first = [math.floor(at[k] - centre) for k in range(3)]
    beyond = [Fraction(round((at[k] - centre - first[k]) * 256), 256) for k in range(3)]
    total = Fraction(0)
    for sides, weight in weights(beyond).items():
        indices = [place(first[k] + sides[k], extents[k], mode) for k in range(3)]
        if weight > 0:
            total += weight * (border if None in indices else texel(*indices[:used]))
    return Fraction(round(total / 256)) if whole else total / 256


def texel_of_array(x, y=0, z=0):
    i = (z * H + y) * W + x
    return Fraction(i * i % 37 - 9)


class Values(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.found = {}
        cls.printed = {}
        for compiler in COMPILERS:
            done, report = lab_run(TEXTURES, "--compiler", compiler, "--order", "reversed")
            assert done.returncode == 0, done.stdout[-2000:] + done.stderr
            assert report["results"]["reports"] == []
            cls.printed[compiler] = done.stdout[:done.stdout.index("no error\n") + len("no error\n")]
            lines = {}
            for name, _, values in re.findall(r"^(\D+?) (\d+) (.*)$", done.stdout, re.MULTILINE):
                lines.setdefault(name, []).append(values.split())
            cls.found[compiler] = lines

    def compare(self, name, want):
        for compiler, lines in self.found.items():
            self.assertEqual(len(lines[name]), STEPS)
            for step in range(STEPS):
                got = [Fraction(float.fromhex(word)) for word in lines[name][step]]
                self.assertEqual(got, [single(v) for v in want(step)], f"{compiler}: {name}: {step}")

    def test_arrays(self):
        shifts = (0.013, 0, 0.25)
        steps = (lambda i: i, lambda i: 3 * i, lambda i: i + 5)
        for name, extents in (("line", (W,)), ("row", (W, 1)), ("plane", (W, H)), ("box", (W, H, D))):
            for filtering, scale in (("point", "normalized"), ("linear", "normalized"), ("linear", "texels")):
                for mode in ("wrap", "clamp", "mirror", "border"):
                    def want(step, mode=mode, filtering=filtering, scale=scale, extents=extents):
                        at = [coordinate(steps[k](step), 1 if scale == "normalized" else n, shifts[k]) *
                              (n if scale == "normalized" else 1) for k, n in enumerate(extents)]
                        used = "clamp" if scale == "texels" and mode in ("wrap", "mirror") else mode
                        return [fetch(texel_of_array, extents, at, used, filtering == "linear",
                                      Fraction(7 if filtering == "linear" else 0))]
                    self.compare(f"{name} {mode} {filtering} {scale}", want)

    def test_as_a_card(self):
        for compiler, text in self.printed.items():
            self.assertEqual(text.count("\n"), 52 * STEPS + 1)
            self.assertEqual(hashlib.sha256(text.encode()).hexdigest(), ON_A_CARD, compiler)

    def test_plain_memory(self):
        self.compare("list", lambda step: [step - 2 + 0.5 if 0 <= step - 2 < W else 0])

    def test_pixels(self):
        channels = [lambda i: i, lambda i: 255 - i, lambda i: 17 * i, lambda i: 128]
        for name, linear in (("colours point", False), ("colours linear", True)):
            self.compare(name, lambda step, linear=linear: [
                fetch(lambda x, y, channel=channel: Fraction(257 * channel(y * W + x)), (W, H),
                      (coordinate(step, W, 0.013), coordinate(3 * step, H, 0)), "clamp", linear, 0, True) / 65535
                for channel in channels])
        for lines in self.found.values():
            for step in range(STEPS):
                at = (coordinate(step, W, 0.013), coordinate(3 * step, H, 0))
                i = fetch(lambda x, y: y * W + x, (W, H), at, "border", False, 0)
                self.assertEqual(lines["shorts"][step], [str(100 * i), str(-300 * i)])


if __name__ == "__main__":
    need_compilers()
    unittest.main()
