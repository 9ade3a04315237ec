"""Correlation of the uniform gas by Perdew and Zunger, with a seam at r_s = 1.

J. P. Perdew, A. Zunger, Phys. Rev. B 23, 5048 (1981), eqs. C3 and C5; with constants that make its first derivatives
continuous (mod); G. Ortiz, P. Ballone, Phys. Rev. B 50, 1391 (1994).
"""

FAMILY = "lda"
KIND = "correlation"
DENSITY = "1e-15"
FIELDS = ["gamma", "beta1", "beta2", "a", "b", "c", "d"]
PARAMETERS = [f"{field}_{i}" for field in FIELDS for i in (1, 2)]
FIRST = ["-0.1423", "-0.0843", "1.0529", "1.3981", "0.3334", "0.2611", "0.0311", "0.01555", "-0.048", "-0.0269"]
SETS = {
    "lda_c_pz": (9, FIRST + ["0.0020", "0.0007", "-0.0116", "-0.0048"]),
    "lda_c_pz_mod": (10, FIRST + ["0.0020191519406228", "0.00069255121311694", "-0.0116320663789130",
                                  "-0.00480126353790614"]),
}


def interpolation(point, p, i):
    g = point.graph
    gamma, beta1, beta2, a, b, c, d = [getattr(p, f"{field}_{i}") for field in FIELDS]
    rs, x = point.rs, point.sqrt_rs
    thin = gamma * g.rcp(1 + beta1 * x + beta2 * rs)
    log = g.log(rs)
    dense = b + log * (a + c * rs) + d * rs
    return g.select(1, rs, dense, thin)


def energy(point, p):
    para = interpolation(point, p, 1)
    return para + point.f_zeta * (interpolation(point, p, 2) - para) if point.polarised else para


def terms(point, p):
    return point.correlation(energy(point, p))


def published(m, lib, p, point):
    """Per electron."""
    def one(i):
        gamma, beta1, beta2, a, b, c, d = [getattr(p, f"{field}_{i}") for field in FIELDS]
        rs = point.rs
        if rs >= 1:
            return gamma / (1 + beta1 * m.sqrt(rs) + beta2 * rs)
        return a * m.log(rs) + b + c * rs * m.log(rs) + d * rs
    return one(1) + (one(2) - one(1)) * lib.f_zeta(point.zeta)


def literature(m, lib, p, point):
    return point.n * published(m, lib, p, point)
