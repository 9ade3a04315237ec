"""Correlation of the re-regularised SCAN (r2SCAN).

J. W. Furness, A. D. Kaplan, J. Ning, J. P. Perdew, J. Sun, J. Phys. Chem. Lett. 11, 8208 (2020), with its supplement, whose
gradient expansion takes derivatives of the uniform gas's energies by r_s: those are the graph's own.
"""

from fractions import Fraction

from functionals import gga_c_pbe, lda_c_pw, mgga_c_scan, mgga_x_r2scan
from point import S2

FAMILY = "mgga"
KIND = "correlation"
DENSITY = "1e-15"
PARAMETERS = ["eta"]
SETS = {"mgga_c_r2scan": (498, ["0.001"]), "mgga_c_r2scan01": (642, ["0.01"])}
POLYNOMIAL = [Fraction(t) for t in ("1", "-0.64", "-0.4352", "-1.535685604549", "3.061560252175", "-1.915710236206",
                                    "0.516884468372", "-0.051848879792")]
DP2 = Fraction("0.361")


def by_rs(point, node):
    """r_s times the derivative of a node by r_s: minus three times that by the density, times it."""
    plain, logarithmic = point.graph.gradient(node)[point.rho]
    return -3 * (plain * point.rho + logarithmic)


def terms(point, p):
    g = point.graph
    s2 = S2 * (point.sigma * point.n(Fraction(-8, 3)))
    phi = point.phi()
    phi3 = phi ** 3
    uniform = lda_c_pw.energy(point, gga_c_pbe.Uniform(g))
    single = mgga_c_scan.uniform_zero(point) * mgga_c_scan.spin_zero(point)
    t2 = gga_c_pbe.T2 * (point.sigma * point.n(Fraction(-7, 3)))
    if point.polarised:
        t2 = t2 * g.rcp(phi * phi)
    w = g.expm1(-(1 / mgga_c_scan.GAMMA) * (uniform * g.rcp(phi3)))
    over = g.rcp(w)
    spins = phi3 * point.phi(Fraction(5, 3)) if point.polarised else g.const(1)
    expansion = 20 * (by_rs(point, single) - by_rs(point, uniform)) - (45 * p.eta) * (single - uniform)
    slope = mgga_x_r2scan.derivative_at_one(POLYNOMIAL) / (27 * mgga_c_scan.GAMMA)
    shift = slope * (expansion * g.rcp(spins) * (s2 * g.exp(-(1 / DP2 ** 4) * (s2 * s2))))
    damp = mgga_c_scan.fourth_root(g, 1 + 4 * (over * (mgga_c_scan.beta(point) * t2 - shift)))
    one = mgga_c_scan.below(g, mgga_c_scan.GAMMA * phi3, w, damp)
    zero = mgga_c_scan.limit_zero(point, s2)
    alpha = point.excess * g.rcp(mgga_c_scan.alpha_scale(point) + p.eta * point.sigma)
    f = mgga_x_r2scan.interpolation(g, alpha, mgga_c_scan.C1, mgga_c_scan.C2, mgga_c_scan.D, POLYNOMIAL)
    return point.correlation(one + f * (zero - one))


def literature(m, lib, p, point):
    gamma = m.mpf("0.031090690869654895034")

    def energies(rs):
        at = lib.Spin(point.a, point.b, point.aa, point.ab, point.bb, point.ta, point.tb)
        at.rs = rs
        b1c, b2c, b3c = m.mpf("0.0285764"), m.mpf("0.0889"), m.mpf("0.125541")
        gc = (1 - m.mpf("2.363") * (m.cbrt(2) - 1) * lib.f_zeta(at.zeta)) * (1 - at.zeta ** 12)
        lda0 = -b1c / (1 + b2c * m.sqrt(rs) + b3c * rs) * gc
        return lda0, gga_c_pbe.uniform_gas(m, lib, at)

    def damp(y, w, s):
        rs = point.rs
        lda0, lsda = energies(rs)
        slope0 = m.diff(lambda r: energies(r)[0], rs)
        slope1 = m.diff(lambda r: energies(r)[1], rs)
        ds = mgga_c_scan.spin_sum(m, lib, point.zeta)
        phi3 = lib.phi(point.zeta) ** 3
        dfc2 = mgga_x_r2scan.published_slope(m, POLYNOMIAL)
        dy = (dfc2 / (27 * gamma * ds * phi3 * w) * (20 * rs * (slope0 - slope1) - 45 * p.eta * (lda0 - lsda))
              * s ** 2 * m.exp(-s ** 4 / m.mpf("0.361") ** 4))
        return (1 + 4 * (y - dy)) ** (-m.mpf(1) / 4)
    one, zero = mgga_c_scan.published_limits(m, lib, point, damp)
    weizsaecker = point.gradient / (8 * point.n)
    alpha = ((point.tau - weizsaecker)
             / (lib.uniform_tau(point.n) * mgga_c_scan.spin_sum(m, lib, point.zeta) + p.eta * weizsaecker))
    f = mgga_x_r2scan.published_interpolation(m, alpha, m.mpf("0.64"), m.mpf("1.5"), m.mpf("0.7"), POLYNOMIAL)
    return point.n * (one + f * (zero - one))
