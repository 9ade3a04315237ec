"""Correlation of Tao, Perdew, Staroverov and Scuseria.

J. Tao, J. P. Perdew, V. N. Staroverov, G. E. Scuseria, Phys. Rev. Lett. 91, 146401 (2003), eqs. 11 to 14; J. P. Perdew, J.
Tao, V. N. Staroverov, G. E. Scuseria, J. Chem. Phys. 120, 6898 (2004). As in Libxc C(zeta, xi) is the sum of its
coefficients where one spin is all but empty, and a spin below the threshold takes the whole density's energy.
"""

from fractions import Fraction

import shared
from functionals import gga_c_pbe
from graph import PI, root

FAMILY = "mgga"
KIND = "correlation"
DENSITY = "1e-15"
PARAMETERS = ["beta", "d", "c0", "c1", "c2", "c3"]
SETS = {"mgga_c_tpss": (231, ["0.06672455060314922", "2.8", "0.53", "0.87", "0.50", "2.26"])}


class Pbe:
    def __init__(self, graph, beta):
        self.beta, self.gamma, self.b = beta, graph.const(Fraction(gga_c_pbe.GAMMA)), graph.const(1)


def one_spin(point, density, scale, sigma, beta):
    at = shared.OneSpin(point, density, scale, sigma)
    uniform = shared.polarised_gas(at, gga_c_pbe.Uniform(point.graph))
    return gga_c_pbe.energy(at, Pbe(point.graph, beta(at)), uniform=uniform)


def largest(g, a, b, allowed):
    """max(a, b) where allowed > 1/2, else b"""
    return g.select(allowed, Fraction(1, 2), g.select(a, b, a, b), b)


def spin_term(point, p):
    """C(zeta, xi)"""
    g = point.graph
    if not point.polarised:
        return p.c0
    z2 = point.zeta * point.zeta
    series = p.c0 + z2 * (p.c1 + z2 * (p.c2 + z2 * p.c3))
    (a, b), (aa, bb) = point.spin, point.sigmas
    xi = (aa * (b / a) + bb * (a / b) - 2 * point.cross) * point.n(Fraction(-8, 3))
    xi2 = (1 / (4 * root(3 * PI * PI, 3) ** 2)) * ((point.opz * point.omz) * xi)
    spread = Fraction(1, 2) * (point.opz ** Fraction(-4, 3) + point.omz ** Fraction(-4, 3))
    damp = g.rcp(1 + xi2 * spread)
    square = damp * damp
    both = p.c0 + p.c1 + p.c2 + p.c3
    return g.select(g.min(point.opz, point.omz), Fraction(1, 10 ** 12), series * (square * square), both)


def energy(point, p, beta):
    """beta(point) is that of the correlation of Perdew, Burke and Ernzerhof."""
    g = point.graph
    whole = gga_c_pbe.energy(point, Pbe(g, beta(point)))
    ratio = Fraction(1, 8) * ((point.sigma * point.n(-1)) * g.rcp(point.tau))
    z = g.select(ratio, 1, 1, ratio)
    z2 = z * z
    c = spin_term(point, p)
    if point.polarised:
        parts = g.const(0)
        for density, sigma, weight, mask in zip(point.spin, point.sigmas, (point.opz, point.omz), point.mask_of):
            own = largest(g, one_spin(point, density, 1, sigma, beta), whole, mask)
            parts = parts + Fraction(1, 2) * weight * own
    else:
        half = one_spin(point, point.rho, Fraction(1, 2), Fraction(1, 4) * point.sigma, beta)
        parts = largest(g, half, whole, point.mask_spin)
    revised = whole + z2 * (c * whole - (1 + c) * parts)
    return revised * (1 + p.d * (revised * (z2 * z)))


def terms(point, p):
    return point.correlation(energy(point, p, lambda at: p.beta))


def published(m, lib, p, point, beta):
    """beta(point)"""
    gamma = m.mpf("0.031090690869654895034")

    def pbe(at):
        return gga_c_pbe.pbe(m, lib, at, beta(at), gamma, 1, gga_c_pbe.uniform_gas(m, lib, at))
    whole = pbe(point)
    zeta, n = point.zeta, point.n
    gradient = (point.aa * point.b ** 2 + point.bb * point.a ** 2 - 2 * point.ab * point.a * point.b) * 4 / n ** 4
    xi2 = gradient / (4 * lib.power(3 * m.pi ** 2 * n, 2, 3))
    c = p.c0 + p.c1 * zeta ** 2 + p.c2 * zeta ** 4 + p.c3 * zeta ** 6
    c = c / (1 + xi2 * (lib.power(1 + zeta, -4, 3) + lib.power(1 - zeta, -4, 3)) / 2) ** 4
    parts = 0
    for density, sigma in ((point.a, point.aa), (point.b, point.bb)):
        alone = lib.Spin(density, m.mpf(0), sigma, m.mpf(0), m.mpf(0), point.ta, point.tb)
        parts += density / n * max(pbe(alone), whole)
    z = point.gradient / (8 * n) / point.tau
    revised = whole * (1 + c * z ** 2) - (1 + c) * z ** 2 * parts
    return n * revised * (1 + p.d * revised * z ** 3)


def literature(m, lib, p, point):
    return published(m, lib, p, point, lambda at: p.beta)
