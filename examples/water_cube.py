#!/usr/bin/env python3
"""Write a cube file of a water molecule's valence electrons on standard output.

The density is a sum of Slater functions, one an atom: N (2 zeta)^(2 n + 1) / (4 pi (2 n)!)
r^(2 n - 2) exp(-2 zeta r). Its exponents are Slater's; from each hydrogen a third of an electron has
moved to the oxygen, which gives the molecule its dipole moment of 0.73 e bohr. Try

    examples/water_cube.py > water.cube
    tesela poisson water.cube --boundary free --nuclei add --valence O=6,H=1 --electrons neutral \\
        -o potential.cube --figure potential.svg
"""

import math

CELLS, STEP = 64, 0.2  # bohr
ORIGIN = (-6.3, -6.3, -6.3)
# element, nuclear charge, valence electrons N, principal quantum number n, zeta, position
ATOMS = [(8, 8.0, 6.66, 2, 2.275, (0.0, 0.0, 0.2214)),
         (1, 1.0, 0.67, 1, 1.2, (0.0, 1.4309, -0.8856)),
         (1, 1.0, 0.67, 1, 1.2, (0.0, -1.4309, -0.8856))]


def density(at):
    """Electrons / bohr^3 at a position."""
    total = 0.0
    for _, _, electrons, n, zeta, centre in ATOMS:
        r = math.dist(at, centre)
        norm = electrons * (2 * zeta) ** (2 * n + 1) / (4 * math.pi * math.factorial(2 * n))
        total += norm * r ** (2 * n - 2) * math.exp(-2 * zeta * r)
    return total


def main():
    print(" water: valence density, a sum of Slater functions")
    print(" x slowest, z fastest; lengths in bohr")
    print(f"{len(ATOMS):5d}" + "".join(f" {x:11.6f}" for x in ORIGIN))
    for axis in range(3):
        print(f"{CELLS:5d}" + "".join(f" {STEP if i == axis else 0.0:11.6f}" for i in range(3)))
    for number, charge, _, _, _, at in ATOMS:
        print(f"{number:5d} {charge:11.6f}" + "".join(f" {x:11.6f}" for x in at))
    places = [[start + STEP * i for i in range(CELLS)] for start in ORIGIN]
    for x in places[0]:
        for y in places[1]:
            row = [f" {density((x, y, z)):12.5E}" for z in places[2]]
            print("\n".join("".join(row[i:i + 6]) for i in range(0, CELLS, 6)))


if __name__ == "__main__":
    main()
