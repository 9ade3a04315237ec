"""Exchange of Wu and Cohen. Z. Wu, R. E. Cohen, Phys. Rev. B 73, 235116 (2006), with c of its erratum's derivation."""

from fractions import Fraction

from point import LDA_X, THIRD

FAMILY = "gga"
KIND = "exchange"
DENSITY = "1e-15"
PARAMETERS = ["kappa", "mu"]
SETS = {"gga_x_wc": (118, ["0.8040", "0.2195149727645171"])}
MU_GE = Fraction(10, 81)


def terms(point, p):
    g = point.graph
    c4 = p.mu - MU_GE + Fraction(146, 2025) * Fraction(4, 9) - Fraction(73, 405) * Fraction(2, 3)

    def energy(c):
        s2 = c.s2
        x = s2 * (MU_GE + (p.mu - MU_GE) * g.exp(-s2)) + g.log1p(c4 * (s2 * s2))
        return LDA_X * c.n(THIRD) * (1 + p.kappa * x / (p.kappa + x))
    return point.exchange(energy)


def literature(m, lib, p, point):
    c4 = m.mpf(146) / 2025 * (m.mpf(2) / 3) ** 2 - m.mpf(73) / 405 * m.mpf(2) / 3 + (p.mu - m.mpf(10) / 81)

    def energy(n, sigma, _):
        s = lib.reduced(n, sigma)
        x = m.mpf(10) / 81 * s ** 2 + (p.mu - m.mpf(10) / 81) * s ** 2 * m.exp(-s ** 2) + m.log(1 + c4 * s ** 4)
        return n * lib.uniform_exchange(n) * (1 + p.kappa - p.kappa / (1 + x / p.kappa))
    return lib.exchange(energy, point)
