#!/usr/bin/env python3
"""Draw enhancement factors of functionals along the bond of a molecule's first two atoms.

    tesela scf data/water.xyz --basis def2-svp --xc pbe --restart water.npz
    examples/enhancement_factors.py water.npz factors.svg svwn pbe pbesol revpbe

The density, its gradient and the kinetic energy density are those of the archive that --restart keeps, a closed shell
with functions up to d. The enhancement factor is exc over the exchange of the uniform gas, -3/4 (3 n / pi)^(1/3), where
n exceeds 1e-4 electrons / bohr^3. The environment variable TESELA names the command, if it is not on PATH.
"""

import math
import os
import struct
import subprocess
import sys
import tempfile
import zipfile

POINTS, BEYOND, LEAST = 600, 3.0, 1e-4  # of the line; bohr beyond both atoms; electrons / bohr^3
WIDTH, HEIGHT, LEFT, BELOW = 720, 400, 60, 50
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"]
# Solid harmonics of l = 0, 1, 2 by their monomials (a, b, c of x^a y^b z^c: factor), in the archive's order.
S, P, D = 0.5 / math.sqrt(math.pi), math.sqrt(0.75 / math.pi), 0.5 * math.sqrt(15 / math.pi)
Z = 0.25 * math.sqrt(5 / math.pi)
HARMONICS = [[{(0, 0, 0): S}], [{(1, 0, 0): P}, {(0, 1, 0): P}, {(0, 0, 1): P}],
             [{(1, 1, 0): D}, {(0, 1, 1): D}, {(0, 0, 2): 2 * Z, (2, 0, 0): -Z, (0, 2, 0): -Z}, {(1, 0, 1): D},
              {(2, 0, 0): D / 2, (0, 2, 0): -D / 2}]]


def read_archive(path):
    """{name: numbers} of a NumPy archive of 8-byte numbers."""
    out = {}
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            data = archive.read(name)
            start = 10 + struct.unpack("<H", data[8:10])[0]
            kind = "q" if b"<i8" in data[:start] else "d"
            out[name[:-4]] = struct.unpack(f"<{(len(data) - start) // 8}{kind}", data[start:])
    return out


def monomial(powers, at):
    return math.prod(x ** p for x, p in zip(at, powers))


def basis_at(archive, point):
    """[(value, gradient)] of all basis functions at a point."""
    shells, out, first = archive["shells"], [], 0
    for s in range(0, len(shells), 4):
        atom, l, functions, count = shells[s:s + 4]
        if l > 2 or functions != 2 * l + 1:
            sys.exit("enhancement_factors.py: only spherical functions up to d are drawn: take another basis set")
        at = [point[a] - archive["positions"][3 * atom + a] for a in range(3)]
        terms = [(archive["coefficients"][k] * math.exp(-archive["exponents"][k] * sum(x * x for x in at)),
                  archive["exponents"][k]) for k in range(first, first + count)]
        radial, slope = sum(t for t, _ in terms), sum(-2 * e * t for t, e in terms)
        first += count
        for harmonic in HARMONICS[l]:
            value = sum(c * monomial(p, at) for p, c in harmonic.items())
            gradient = []
            for a in range(3):
                inner = sum(c * p[a] * monomial([q - (i == a) for i, q in enumerate(p)], at)
                            for p, c in harmonic.items() if p[a] > 0)
                gradient.append(inner * radial + value * slope * at[a])
            out.append((value * radial, gradient))
    return out


def density_at(archive, point):
    """n, sigma and tau."""
    basis = basis_at(archive, point)
    size, matrix = len(basis), archive["density"]
    if len(matrix) != size * size:
        sys.exit("enhancement_factors.py: the density has two spins: take a closed shell")
    n, gradient, tau = 0.0, [0.0, 0.0, 0.0], 0.0
    for i, (value, slope) in enumerate(basis):
        row = matrix[i * size:(i + 1) * size]
        inner = sum(p * b[0] for p, b in zip(row, basis))
        n += value * inner
        for a in range(3):
            gradient[a] += 2 * slope[a] * inner
            tau += 0.5 * slope[a] * sum(p * b[1][a] for p, b in zip(row, basis))
    return n, sum(g * g for g in gradient), tau


def evaluate(functional, rows):
    """exc at rows of n, sigma and tau, by tesela xc eval."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = os.path.join(folder, "in.npy"), os.path.join(folder, "out.npy")
        head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(rows)}, 4), }}"
        head += " " * (53 + 64 - len(head)) + "\n"
        with open(source, "wb") as file:
            file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode("ascii"))
            file.write(struct.pack(f"<{4 * len(rows)}d", *(v for n, sigma, tau in rows for v in (n, sigma, 0.0, tau))))
        result = subprocess.run([os.environ.get("TESELA", "tesela"), "xc", "eval", "-f", functional, "--order", "0",
                                 "-i", source, "-o", target, "--quiet"], check=False)
        if result.returncode:
            sys.exit(result.returncode)
        with open(target, "rb") as file:
            return struct.unpack(f"<{len(rows)}d", file.read()[-8 * len(rows):])


def draw(path, positions, distance, curves):
    """An SVG of {name: factors}, None where there is none; atoms at 0 and at a distance."""
    values = [v for c in curves.values() for v in c if v is not None]
    low, high = math.floor(5 * min(values)) / 5, math.ceil(5 * max(values)) / 5
    across = lambda x: LEFT + (x - positions[0]) / (positions[-1] - positions[0]) * (WIDTH - LEFT - 120)  # noqa: E731
    up = lambda y: HEIGHT - BELOW - (y - low) / (high - low) * (HEIGHT - BELOW - 30)  # noqa: E731
    text = '<text x="{:.1f}" y="{:.1f}" font-size="13" text-anchor="{}" fill="{}">{}</text>'.format
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
           text(across(distance / 2), HEIGHT - 8, "middle", "black", "position along the bond, bohr"),
           text(LEFT - 40, 18, "start", "black", "exc / exc of the uniform gas's exchange")]
    for y in [low + 0.2 * i for i in range(round(5 * (high - low)) + 1)]:
        out.append(f'<path d="M{LEFT} {up(y):.1f}H{WIDTH - 120}" stroke="#ddd"/>')
        out.append(text(LEFT - 6, up(y) + 4, "end", "black", f"{y:.1f}"))
    for x in range(math.ceil(positions[0]), math.floor(positions[-1]) + 1):
        out.append(text(across(x), HEIGHT - BELOW + 18, "middle", "black", x))
    for x in (0, distance):
        out.append(f'<path d="M{across(x):.1f} 30V{HEIGHT - BELOW}" stroke="#888" stroke-dasharray="4 4"/>')
    for i, (name, curve) in enumerate(curves.items()):
        places = [f"{across(x):.1f} {up(v):.1f}" for x, v in zip(positions, curve) if v is not None]
        out.append(f'<path d="M{"L".join(places)}" fill="none" stroke="{COLOURS[i % len(COLOURS)]}" stroke-width="2"/>')
        out.append(text(WIDTH - 110, 50 + 20 * i, "start", COLOURS[i % len(COLOURS)], name))
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(out) + "\n</svg>\n")


def main(arguments):
    if len(arguments) < 3:
        sys.exit(__doc__.strip())
    archive = read_archive(arguments[0])
    ends = archive["positions"][0:3], archive["positions"][3:6]
    distance = math.dist(*ends)
    positions = [-BEYOND + (distance + 2 * BEYOND) * i / (POINTS - 1) for i in range(POINTS)]
    rows = [density_at(archive, [p + x / distance * (q - p) for p, q in zip(*ends)]) for x in positions]
    curves = {}
    for functional in arguments[2:]:
        curves[functional] = [value / (-0.75 * (3 * row[0] / math.pi) ** (1 / 3)) if row[0] > LEAST else None
                              for row, value in zip(rows, evaluate(functional, rows))]
    draw(arguments[1], positions, distance, curves)


if __name__ == "__main__":
    main(sys.argv[1:])
