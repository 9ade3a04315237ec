"""Exchange of Tao, Perdew, Staroverov and Scuseria, and its revision.

J. Tao, J. P. Perdew, V. N. Staroverov, G. E. Scuseria, Phys. Rev. Lett. 91, 146401 (2003), eqs. 5 to 10; J. P. Perdew, A.
Ruzsinszky, G. I. Csonka, L. A. Constantin, J. Sun, Phys. Rev. Lett. 103, 026403 (2009). The former has c z^2, the latter c
z^3: parameters c2 and c3.
"""

from fractions import Fraction

from point import LDA_X, THIRD

FAMILY = "mgga"
KIND = "exchange"
DENSITY = "1e-15"
PARAMETERS = ["b", "c2", "c3", "e", "kappa", "mu"]
SETS = {
    "mgga_x_tpss": (202, ["0.40", "1.59096", "0", "1.537", "0.8040", "0.21951"]),
    "mgga_x_modtpss": (245, ["0.40", "1.38496", "0", "1.37", "0.804", "0.252"]),
    "mgga_x_revtpss": (212, ["0.40", "0", "2.35203946", "2.16769874", "0.804", "0.14"]),
}
MU_GE = Fraction(10, 81)


def terms(point, p):
    g = point.graph

    def energy(c):
        s2 = c.s2
        z = Fraction(1, 8) * (c.sigma * c.n(-1)) * g.rcp(c.tau)
        alpha = c.alpha
        a1 = alpha - 1
        qb = Fraction(9, 20) * (a1 * g.rcp(g.sqrt(1 + p.b * (alpha * a1)))) + Fraction(2, 3) * s2
        z2 = z * z
        bend = g.rcp(1 + z2)
        root_e = g.sqrt(p.e)
        x = (s2 * (MU_GE + (z2 * (p.c2 + p.c3 * z)) * (bend * bend)) + Fraction(146, 2025) * (qb * qb)
             - Fraction(73, 405) * (qb * g.sqrt(Fraction(1, 2) * (Fraction(9, 25) * z2 + s2 * s2)))
             + (MU_GE ** 2 / p.kappa) * (s2 * s2) + (2 * root_e * MU_GE * Fraction(9, 25)) * z2
             + (p.e * p.mu) * (s2 * (s2 * s2)))
        damp = g.rcp(1 + root_e * s2)
        x = x * (damp * damp)
        return LDA_X * c.n(THIRD) * (1 + p.kappa * (x * g.rcp(p.kappa + x)))
    return point.exchange(energy)


def literature(m, lib, p, point):
    mu_ge = m.mpf(10) / 81

    def energy(n, sigma, tau):
        s2 = lib.reduced(n, sigma) ** 2
        z = sigma / (8 * n) / tau
        alpha = (tau - sigma / (8 * n)) / lib.uniform_tau(n)
        qb = m.mpf(9) / 20 * (alpha - 1) / m.sqrt(1 + p.b * alpha * (alpha - 1)) + 2 * s2 / 3
        x = ((mu_ge + (p.c2 * z ** 2 + p.c3 * z ** 3) / (1 + z ** 2) ** 2) * s2 + m.mpf(146) / 2025 * qb ** 2
             - m.mpf(73) / 405 * qb * m.sqrt((m.mpf(3) / 5 * z) ** 2 / 2 + s2 ** 2 / 2) + mu_ge ** 2 / p.kappa * s2 ** 2
             + 2 * m.sqrt(p.e) * mu_ge * (m.mpf(3) / 5 * z) ** 2 + p.e * p.mu * s2 ** 3) / (1 + m.sqrt(p.e) * s2) ** 2
        return n * lib.uniform_exchange(n) * (1 + p.kappa - p.kappa / (1 + x / p.kappa))
    return lib.exchange(energy, point)
