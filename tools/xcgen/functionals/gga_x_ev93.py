"""Exchange of Engel and Vosko: F = (1 + a1 s^2 + a2 s^4 + a3 s^6) / (1 + b1 s^2 + b2 s^4 + b3 s^6).

E. Engel, S. H. Vosko, Phys. Rev. B 47, 13164 (1993); E. Engel, J. A. Chevary, L. D. Macdonald, S. H. Vosko, Z. Phys. D
23, 7 (1992).
"""

from point import LDA_X, THIRD

FAMILY = "gga"
KIND = "exchange"
DENSITY = "1e-15"
PARAMETERS = ["a1", "a2", "a3", "b1", "b2", "b3"]
SETS = {
    "gga_x_ev93": (35, ["1.647127", "0.980118", "0.017399", "1.523671", "0.367229", "0.011282"]),
    "gga_x_ecmv92": (215, ["27.8428", "11.7683", "0", "27.5026", "5.7728", "0"]),
}


def terms(point, p):
    g = point.graph

    def energy(channel):
        x = channel.s2
        above = 1 + x * (p.a1 + x * (p.a2 + x * p.a3))
        below = 1 + x * (p.b1 + x * (p.b2 + x * p.b3))
        return LDA_X * channel.n(THIRD) * (above * g.rcp(below))
    return point.exchange(energy)


def literature(m, lib, p, point):
    def energy(n, sigma, _):
        s = lib.reduced(n, sigma)
        above = 1 + p.a1 * s ** 2 + p.a2 * s ** 4 + p.a3 * s ** 6
        below = 1 + p.b1 * s ** 2 + p.b2 * s ** 4 + p.b3 * s ** 6
        return n * lib.uniform_exchange(n) * above / below
    return lib.exchange(energy, point)
