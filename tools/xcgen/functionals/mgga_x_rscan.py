"""Exchange of the regularised SCAN (rSCAN).

A. P. Bartok, J. R. Yates, J. Chem. Phys. 150, 161101 (2019): SCAN, whose alpha is regularised, with a polynomial for the
interpolation below 5/2.
"""

from fractions import Fraction

from functionals import mgga_x_r2scan, mgga_x_scan
from point import LDA_X, THIRD, TF

FAMILY = "mgga"
KIND = "exchange"
DENSITY = "1e-11"
PARAMETERS = ["c2", "d", "k1", "tau_r", "alpha_r"]
SETS = {"mgga_x_rscan": (493, ["0.8", "1.24", "0.065", "0.0001", "0.001"])}
C1 = Fraction("0.667")


def regular(g, alpha, alpha_r):
    """alpha^3 / (alpha^2 + alpha_r)"""
    square = alpha * alpha
    return alpha * (square * g.rcp(square + alpha_r))


def terms(point, p):
    g = point.graph
    b4 = mgga_x_scan.MU_GE ** 2 / p.k1 - Fraction(1606, 18225) - mgga_x_scan.B1 ** 2

    def energy(c):
        s2 = c.s2
        alpha = regular(g, c.excess * g.rcp((8 * TF) * c.n(Fraction(8, 3)) + (8 * p.tau_r) * c.n(1)), p.alpha_r)
        a1 = 1 - alpha
        inner = mgga_x_scan.B1 * s2 + mgga_x_scan.B2 * (a1 * g.exp(-(Fraction(1, 2) * (a1 * a1))))
        y = s2 * (mgga_x_scan.MU_GE + b4 * (s2 * g.exp(-((b4 * (1 / mgga_x_scan.MU_GE)) * s2)))) + inner * inner
        f = mgga_x_r2scan.interpolation(g, alpha, C1, p.c2, p.d, mgga_x_r2scan.POLYNOMIAL)
        h = mgga_x_scan.h1(y, p.k1)
        return LDA_X * c.n(THIRD) * ((h + f * (mgga_x_scan.H0 - h)) * mgga_x_scan.damping(g, s2))
    return point.exchange(energy)


def literature(m, lib, p, point):
    mu = m.mpf(10) / 81
    b2 = m.sqrt(m.mpf(5913) / 405000)
    b1 = m.mpf(511) / 13500 / (2 * b2)
    b4 = mu ** 2 / p.k1 - m.mpf(1606) / 18225 - b1 ** 2

    def energy(n, sigma, tau):
        s = lib.reduced(n, sigma)
        alpha = (tau - sigma / (8 * n)) / (lib.uniform_tau(n) + p.tau_r)
        alpha = alpha ** 3 / (alpha ** 2 + p.alpha_r)
        x = (mu * s ** 2 * (1 + b4 * s ** 2 / mu * m.exp(-abs(b4) * s ** 2 / mu))
             + (b1 * s ** 2 + b2 * (1 - alpha) * m.exp(-(1 - alpha) ** 2 / 2)) ** 2)
        h = 1 + p.k1 - p.k1 / (1 + x / p.k1)
        f = mgga_x_r2scan.published_interpolation(m, alpha, m.mpf("0.667"), p.c2, p.d, mgga_x_r2scan.POLYNOMIAL)
        return n * lib.uniform_exchange(n) * (h + f * (m.mpf("1.174") - h)) * (1 - m.exp(-m.mpf("4.9479") / m.sqrt(s)))
    return lib.exchange(energy, point)
