"""Correlation of the uniform gas by Vosko, Wilk and Nusair, interpolated between spins as exchange is: with the
random-phase approximation's constants, or those of Monte Carlo (VWN1).

S. H. Vosko, L. Wilk, M. Nusair, Can. J. Phys. 58, 1200 (1980).
"""

from functionals import lda_c_vwn

FAMILY = "lda"
KIND = "correlation"
DENSITY = "1e-15"
PARAMETERS = [f"{field}{i}" for i in (1, 2) for field in lda_c_vwn.FIELDS]
SETS = {
    "lda_c_vwn_rpa": (8, ["0.0310907", "13.0720", "42.7198", "-0.409286",
                          "0.01554535", "20.1231", "101.578", "-0.743294"]),
    "lda_c_vwn_1": (28, lda_c_vwn.SETS["lda_c_vwn"][1][:8]),
}


def energy(point, p):
    para = lda_c_vwn.interpolation(point, p, 1)
    if not point.polarised:
        return para
    return para + point.f_zeta * (lda_c_vwn.interpolation(point, p, 2) - para)


def terms(point, p):
    return point.correlation(energy(point, p))


def literature(m, lib, p, point):
    e = [lda_c_vwn.published(m, point.rs, *[getattr(p, f"{field}{i}") for field in lda_c_vwn.FIELDS])
         for i in (1, 2)]
    return point.n * (e[0] + (e[1] - e[0]) * lib.f_zeta(point.zeta))
