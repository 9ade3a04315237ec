"""Textures of `tesela lab run` against the formulas of CUDA's programming guide, in exact arithmetic."""

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


def fetch(texel, extents, at, mode, linear, border):
    """The value at coordinates in texels: `texel` gives one at indices."""
    axes = range(len(extents))
    if not linear:
        indices = [place(math.floor(at[k]), extents[k], mode) for k in axes]
        return border if None in indices else texel(*indices)
    first = [math.floor(at[k] - Fraction(1, 2)) for k in axes]
    beyond = [Fraction(round((at[k] - Fraction(1, 2) - first[k]) * 256), 256) for k in axes]
    total = Fraction(0)
    for corner in range(1 << len(extents)):
        sides = [corner >> k & 1 for k in axes]
        weight = math.prod(beyond[k] if sides[k] else 1 - beyond[k] for k in axes)
        indices = [place(first[k] + sides[k], extents[k], mode) for k in axes]
        total += weight * (border if None in indices else texel(*indices))
    return total


def texel_of_array(x, y=0, z=0):
    i = (z * H + y) * W + x
    return Fraction(i * i % 37 - 9)


class Values(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.found = {}
        for compiler in COMPILERS:
            done, report = lab_run(TEXTURES, "--compiler", compiler, "--order", "reversed")
            assert done.returncode == 0, done.stdout[-2000:] + done.stderr
            assert report["results"]["reports"] == []
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

    def test_plain_memory(self):
        self.compare("list", lambda step: [step - 2 + 0.5 if 0 <= step - 2 < W else 0])

    def test_pixels(self):
        channels = [lambda i: i, lambda i: 255 - i, lambda i: 17 * i, lambda i: 128]
        for name, linear in (("colours point", False), ("colours linear", True)):
            self.compare(name, lambda step, linear=linear: [
                fetch(lambda x, y, channel=channel: single(Fraction(channel(y * W + x), 255)), (W, H),
                      (coordinate(step, W, 0.013), coordinate(3 * step, H, 0)), "clamp", linear, 0)
                for channel in channels])
        for lines in self.found.values():
            for step in range(STEPS):
                at = (coordinate(step, W, 0.013), coordinate(3 * step, H, 0))
                i = fetch(lambda x, y: y * W + x, (W, H), at, "border", False, 0)
                self.assertEqual(lines["shorts"][step], [str(100 * i), str(-300 * i)])


if __name__ == "__main__":
    need_compilers()
    unittest.main()
