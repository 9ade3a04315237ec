"""Half precision of `tesela lab run`: every result against exact arithmetic, rounded once."""

import math
import os
import re
import struct
import sys
import unittest
from fractions import Fraction

sys.dont_write_bytecode = True  # leave the source tree as it is
from lab import COMPILERS, HERE, lab_run, lines_of, need_compilers

HALF = os.path.join(HERE, "files", "half.cu")
NAN, INFINITY = 0x7fff, 0x7c00
FLOAT_NAN = 0x7fffffff


def value_of(bits):
    return struct.unpack("<e", struct.pack("<H", bits))[0]


def rounded(x, zero=0.0, mode="nearest"):
    """Bits of a half for an exact number; `zero` has the sign of a result that is 0."""
    if x == 0:
        return 0x8000 if math.copysign(1, zero) < 0 else 0
    sign, size = (0x8000, -x) if x < 0 else (0, x)
    exponent = -14
    while Fraction(2) ** (exponent + 1) <= size:
        exponent += 1
    units = size / Fraction(2) ** (exponent - 10)
    whole = math.floor(units)
    part = units - whole
    up = {"nearest": part > Fraction(1, 2) or (part == Fraction(1, 2) and whole % 2 == 1), "zero": False,
          "down": sign != 0 and part > 0, "up": sign == 0 and part > 0}[mode]
    bits = ((exponent + 14) << 10) + whole + up
    if bits >= INFINITY:
        inwards = mode == "zero" or (mode == "down" and sign == 0) or (mode == "up" and sign != 0)
        bits = INFINITY - 1 if inwards else INFINITY
    return sign | bits


def operate(function, *operands):
    """The exact result of a function, rounded; of operands that are no numbers as Python's floats have it."""
    try:
        near = function(*operands)
    except ZeroDivisionError:
        a, b = operands
        near = math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1, b)
    if math.isnan(near):
        return NAN
    if math.isinf(near):
        return INFINITY | (0x8000 if near < 0 else 0)
    if not all(math.isfinite(x) for x in operands):
        return rounded(Fraction(near), near)
    return rounded(function(*map(Fraction, operands)), near)


def whole(x, function):
    """What a half becomes as an int, as its bits."""
    if math.isnan(x):
        return 0
    return (2**31 - 1 if x > 0 else 2**31) if math.isinf(x) else function(Fraction(x)) % 2**32


def root(x):
    return NAN if math.isnan(x) or x < 0 else INFINITY if math.isinf(x) else rounded(Fraction(math.sqrt(x)), x)


def results_of(number, bits, single):
    x, y, z = map(value_of, bits)
    numbers = [v for v in (x, y) if not math.isnan(v)]
    order = sorted(numbers, key=lambda v: (v, math.copysign(1, v)))
    unordered = math.isnan(x) or math.isnan(y)
    total = operate(lambda a, b: a + b, x, y)
    clamped = value_of(total)
    one = Fraction(single)
    half_bits = lambda v: struct.unpack("<H", struct.pack("<e", v))[0]
    return [total, operate(lambda a, b: a - b, x, y), operate(lambda a, b: a * b, x, y),
            operate(lambda a, b: a / b, x, y), operate(lambda a, b, c: a * b + c, x, y, z), root(x),
            *(rounded(one, single, mode) for mode in ("nearest", "zero", "down", "up")),
            FLOAT_NAN if math.isnan(x) else struct.unpack("<I", struct.pack("<f", x))[0],
            *(whole(x, f) for f in (round, math.trunc, math.floor, math.ceil)),
            rounded(Fraction(number * 7919 - 4000000)),
            NAN if math.isnan(x) else bits[0] if math.isinf(x) else rounded(Fraction(round(Fraction(x))), x),
            half_bits(order[-1]) if numbers else NAN, half_bits(order[0]) if numbers else NAN,
            (x == y) | (x != y) << 1 | (x < y) << 2 | (x <= y) << 3 | (x > y) << 4 | (x >= y) << 5 |
            (x != y and not unordered) << 6 | (x < y or unordered) << 7,
            0 if not clamped > 0 else min(total, 0x3c00), NAN if math.isnan(x) else bits[0] ^ 0x8000]


class Halves(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.runs = {compiler: lab_run(HALF, "--compiler", compiler, "--order", "strided") for compiler in COMPILERS}

    def test_results(self):
        """Operands in all classes, and pairs that cancel; not-a-number has the bits that a card gives it."""
        for compiler, (done, report) in self.runs.items():
            self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr)
            self.assertEqual(report["results"]["reports"], [])
            lines = re.findall(r"^[0-9a-f]+ [0-9a-f]+ [0-9a-f]+ \S+p.*", done.stdout, re.MULTILINE)
            self.assertEqual(len(lines), 1024)
            for number, line in enumerate(lines):
                words = line.split()
                bits = [int(word, 16) for word in words[:3]]
                want = results_of(number, bits, float.fromhex(words[3]))
                got = [int(word, 16) for word in words[4:]]
                self.assertEqual(len(got), len(want))
                for i, (a, b) in enumerate(zip(got, want)):
                    self.assertEqual(a, b, f"{compiler}: {line}: result {i}")

    def test_pairs(self):
        for _, (done, report) in self.runs.items():
            pairs = re.findall(r"^pair (\S+) (\S+)", done.stdout, re.MULTILINE)
            self.assertEqual([(float(a), float(b)) for a, b in pairs], [(2 * i + 0.5, -2 * i - 0.5) for i in range(64)])
            sums = [sum(range(first, 64, 3)) for first in range(3)]
            self.assertIn("sums " + " ".join(map(str, [*sums, 64, 128])) + "\n", done.stdout)
            lines = lines_of(report["results"]["launches"][1])
            for access in ("read", "write"):
                self.assertEqual(lines[("global", access, 4)]["requests"], 2)
                self.assertEqual(lines[("global", access, 4)]["sectors"], 8)


if __name__ == "__main__":
    need_compilers()
    unittest.main()
