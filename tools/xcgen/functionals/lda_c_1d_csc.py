"""Correlation in one dimension by quantum Monte Carlo. M. Casula, S. Sorella, G. Senatore, Phys. Rev. B 74, 245427 (2006), eq.
9, of electrons in a wire whose width is one bohr; r_s = 1 / (2 n)."""

from fractions import Fraction

FAMILY = "lda"
KIND = "correlation"
DENSITY = "1e-25"
FIELDS = ["a", "b", "c", "d", "e", "alpha", "beta", "m"]
PARAMETERS = [f"{field}{i}" for i in (1, 2) for field in FIELDS]  # unpolarised, polarised
SETS = {"lda_c_1d_csc": (18, ["18.40", "0", "7.501", "0.10185", "0.012827", "1.511", "0.258", "4.424",
                              "5.24", "0", "1.568", "0.12856", "0.003201", "0.0538", "0.0000156", "2.958"])}


def one(point, p, i):
    g = point.graph
    a, b, c, d, e, alpha, beta, m = [getattr(p, f"{field}{i}") for field in FIELDS]
    rs = Fraction(1, 2) * point.n(-1)
    steep = beta * g.exp(m * g.log(rs))
    fraction = rs * (1 + e * rs) * g.rcp(a + rs * (b + rs * (c + d * rs)))
    return Fraction(-1, 2) * (fraction * g.log1p(alpha * rs + steep))


def terms(point, p):
    para = one(point, p, 1)
    if point.polarised:
        para = para + point.zeta * point.zeta * (one(point, p, 2) - para)
    return point.correlation(para)


def literature(m, lib, p, point):
    rs = 1 / (2 * point.n)

    def energy(i):
        a, b, c, d, e, alpha, beta, power = [getattr(p, f"{field}{i}") for field in FIELDS]
        return (-(rs + e * rs ** 2) / (a + b * rs + c * rs ** 2 + d * rs ** 3)
                * m.log(1 + alpha * rs + beta * rs ** power) / 2)
    return point.n * (energy(1) + point.zeta ** 2 * (energy(2) - energy(1)))
