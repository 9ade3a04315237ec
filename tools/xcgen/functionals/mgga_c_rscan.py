"""Correlation of the regularised SCAN (rSCAN). A. P. Bartok, J. R. Yates, J. Chem. Phys. 150, 161101 (2019)."""

from fractions import Fraction

from functionals import mgga_c_r2scan, mgga_c_scan, mgga_x_r2scan, mgga_x_rscan
from point import TF

FAMILY = "mgga"
KIND = "correlation"
DENSITY = "1e-15"
PARAMETERS = ["tau_r", "alpha_r"]
SETS = {"mgga_c_rscan": (494, ["0.0001", "0.001"])}


def terms(point, p):
    g = point.graph
    one, zero = mgga_c_scan.limits(point)
    scale = (8 * TF) * point.n(Fraction(8, 3)) + (8 * p.tau_r) * point.n(1)
    if point.polarised:
        scale = scale * point.phi(Fraction(5, 3))
    alpha = mgga_x_rscan.regular(g, point.excess * g.rcp(scale), p.alpha_r)
    f = mgga_x_r2scan.interpolation(g, alpha, mgga_c_scan.C1, mgga_c_scan.C2, mgga_c_scan.D, mgga_c_r2scan.POLYNOMIAL)
    return point.correlation(one + f * (zero - one))


def literature(m, lib, p, point):
    one, zero = mgga_c_scan.published_limits(m, lib, point, lambda y, w, s: (1 + 4 * y) ** (-m.mpf(1) / 4))
    alpha = ((point.tau - point.gradient / (8 * point.n))
             / ((lib.uniform_tau(point.n) + p.tau_r) * mgga_c_scan.spin_sum(m, lib, point.zeta)))
    alpha = alpha ** 3 / (alpha ** 2 + p.alpha_r)
    f = mgga_x_r2scan.published_interpolation(m, alpha, m.mpf("0.64"), m.mpf("1.5"), m.mpf("0.7"),
                                              mgga_c_r2scan.POLYNOMIAL)
    return point.n * (one + f * (zero - one))
