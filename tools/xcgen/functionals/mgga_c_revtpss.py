"""The revised correlation of Tao, Perdew, Staroverov and Scuseria: theirs, with a beta that depends on the density.

J. P. Perdew, A. Ruzsinszky, G. I. Csonka, L. A. Constantin, J. Sun, Phys. Rev. Lett. 103, 026403 (2009); 106, 179902 (2011).
"""

from fractions import Fraction

from functionals import mgga_c_tpss

FAMILY = "mgga"
KIND = "correlation"
DENSITY = "1e-13"
PARAMETERS = ["d", "c0", "c1", "c2", "c3"]
SETS = {"mgga_c_revtpss": (241, ["2.8", "0.59", "0.9269", "0.6225", "2.1540"])}


def beta(at):
    """Of Hu and Langreth."""
    rs = at.rs
    return Fraction("0.06672455060314922") * ((1 + Fraction("0.1") * rs) * at.graph.rcp(1 + Fraction("0.1778") * rs))


def terms(point, p):
    return point.correlation(mgga_c_tpss.energy(point, p, beta))


def literature(m, lib, p, point):
    def published_beta(at):
        return m.mpf("0.06672455060314922") * (1 + m.mpf("0.1") * at.rs) / (1 + m.mpf("0.1778") * at.rs)
    return mgga_c_tpss.published(m, lib, p, point, published_beta)
