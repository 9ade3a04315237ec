"""Exchange of the meta-GGAs "made simple".

J. Sun, B. Xiao, A. Ruzsinszky, J. Chem. Phys. 137, 051101 (2012); J. Sun, R. Haunschild, B. Xiao, I. W. Bulik, G. E.
Scuseria, J. P. Perdew, J. Chem. Phys. 138, 044113 (2013). Above alpha = 1 the interpolation is worked out in 1 / alpha.
"""

from fractions import Fraction

from point import LDA_X, THIRD

FAMILY = "mgga"
KIND = "exchange"
DENSITY = "1e-15"
PARAMETERS = ["kappa", "c", "b"]
SETS = {
    "mgga_x_ms0": (221, ["0.29", "0.28771", "1.0"]),
    "mgga_x_ms1": (222, ["0.404", "0.18150", "1.0"]),
    "mgga_x_ms2": (223, ["0.504", "0.14601", "4.0"]),
}
MU_GE = Fraction(10, 81)


def interpolation(g, alpha, b):
    """(1 - alpha^2)^3 / (1 + alpha^3 + b alpha^6)"""
    low = g.select(alpha, 1, 1, alpha)
    high = g.rcp(g.select(alpha, 1, alpha, 1))

    def cube(x):
        return x * (x * x)
    low3, high3 = cube(low), cube(high)
    below = cube(1 - low * low) * g.rcp(1 + low3 + b * (low3 * low3))
    above = cube(high * high - 1) * g.rcp(b + high3 + high3 * high3)
    return g.select(alpha, 1, above, below)


def terms(point, p):
    g = point.graph

    def energy(channel):
        x = MU_GE * channel.s2
        one = x * g.rcp(p.kappa + x)
        shifted = x + p.c
        zero = shifted * g.rcp(p.kappa + shifted)
        f = interpolation(g, channel.alpha, p.b)
        return LDA_X * channel.n(THIRD) * (1 + p.kappa * (one + f * (zero - one)))
    return point.exchange(energy)


def literature(m, lib, p, point):
    def energy(n, sigma, tau):
        s2 = lib.reduced(n, sigma) ** 2
        alpha = (tau - sigma / (8 * n)) / lib.uniform_tau(n)
        one = 1 + p.kappa - p.kappa / (1 + m.mpf(10) / 81 * s2 / p.kappa)
        zero = 1 + p.kappa - p.kappa / (1 + (m.mpf(10) / 81 * s2 + p.c) / p.kappa)
        f = (1 - alpha ** 2) ** 3 / (1 + alpha ** 3 + p.b * alpha ** 6)
        return n * lib.uniform_exchange(n) * (one + f * (zero - one))
    return lib.exchange(energy, point)
