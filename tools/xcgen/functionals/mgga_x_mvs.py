"""Exchange "made very simple": F = (1 + k0 f(alpha)) / (1 + b s^4)^(1/8), f = (1 - alpha) / ((1 + e1 alpha^2)^2 + c1
alpha^4)^(1/4).

J. Sun, J. P. Perdew, A. Ruzsinszky, Proc. Natl. Acad. Sci. 112, 685 (2015).
"""

from point import LDA_X, THIRD

FAMILY = "mgga"
KIND = "exchange"
DENSITY = "1e-15"
PARAMETERS = ["e1", "c1", "k0", "b"]
SETS = {"mgga_x_mvs": (257, ["-1.6665", "0.7438", "0.174", "0.0233"])}


def terms(point, p):
    g = point.graph

    def energy(channel):
        a2, s2 = channel.alpha * channel.alpha, channel.s2
        first = 1 + p.e1 * a2
        fourth = g.sqrt(g.sqrt(first * first + p.c1 * (a2 * a2)))
        eighth = g.sqrt(g.sqrt(g.sqrt(1 + p.b * (s2 * s2))))
        above = 1 + p.k0 * ((1 - channel.alpha) * g.rcp(fourth))
        return LDA_X * channel.n(THIRD) * (above * g.rcp(eighth))
    return point.exchange(energy)


def literature(m, lib, p, point):
    def energy(n, sigma, tau):
        s = lib.reduced(n, sigma)
        alpha = (tau - sigma / (8 * n)) / lib.uniform_tau(n)
        f = (1 - alpha) / lib.power((1 + p.e1 * alpha ** 2) ** 2 + p.c1 * alpha ** 4, 1, 4)
        return n * lib.uniform_exchange(n) * (1 + p.k0 * f) / lib.power(1 + p.b * s ** 4, 1, 8)
    return lib.exchange(energy, point)
