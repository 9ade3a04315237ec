"""Correlation of Becke, 1995: Stoll's pairs of spins, that of equal spins with a vanishing self-interaction.

A. D. Becke, J. Chem. Phys. 104, 1040 (1996), eqs. 13 to 16.
"""

import shared

FAMILY = "mgga"
KIND = "correlation"
DENSITY = "1e-14"
PARAMETERS = ["css", "copp"]
SETS = {"mgga_c_bc95": (240, ["0.038", "0.0031"])}


def terms(point, p):
    g = point.graph
    pairs = shared.SpinPairs(point)
    same = []
    for x2, z, free in zip(pairs.x2, pairs.z, pairs.free):
        damp = g.rcp(1 + p.css * x2)
        same.append((1 / shared.UNIFORM_SPIN) * (z * free) * (damp * damp))
    return pairs.terms(same, g.rcp(1 + p.copp * pairs.both(pairs.x2)))


def literature(m, lib, p, point):
    from functionals import gga_c_pbe
    spins = [lib.OfSpin(point, s) for s in range(2)]

    def same(s):
        d = 2 * spins[s].tau - spins[s].sigma / (4 * spins[s].n)
        uniform = m.mpf(3) / 5 * lib.power(6 * m.pi ** 2, 2, 3) * lib.power(spins[s].n, 5, 3)
        return d / uniform / (1 + p.css * spins[s].x2) ** 2
    opposite = 1 / (1 + p.copp * (spins[0].x2 + spins[1].x2))
    return lib.by_pairs(point, gga_c_pbe.uniform_gas(m, lib, point), same, opposite)
