"""Exchange and correlation of Becke's form of 1997, and the sets that were fitted to it.

A. D. Becke, J. Chem. Phys. 107, 8554 (1997); F. A. Hamprecht, A. J. Cohen, D. J. Tozer, N. C. Handy, J. Chem. Phys. 109,
6264 (1998); A. D. Boese, N. L. Doltsinis, N. C. Handy, M. Sprik, J. Chem. Phys. 112, 1670 (2000); A. D. Boese, N. C. Handy,
J. Chem. Phys. 114, 5497 (2001); S. Grimme, J. Comput. Chem. 27, 1787 (2006); P. J. Wilson, T. J. Bradley, D. J. Tozer, J.
Chem. Phys. 115, 9233 (2001); T. W. Keal, D. J. Tozer, J. Chem. Phys. 123, 121103 (2005). Coefficients: exchange, pairs of
equal spins, of opposite spins.
"""

from fractions import Fraction

import shared
from graph import root
from point import LDA_X, THIRD

FAMILY = "gga"
KIND = "exchange and correlation"
DENSITY = "1e-14"
PARAMETERS = [f"c{part}{i}" for part in ("x", "ss", "os") for i in range(5)]
SETS = {
    "gga_xc_b97_d": (170, ["1.08662", "-0.52127", "3.25429", "0", "0",
                           "0.22340", "-1.56208", "1.94293", "0", "0",
                           "0.69041", "6.30270", "-14.9712", "0", "0"]),
    "gga_xc_hcth_93": (161, ["1.09320", "-0.744056", "5.59920", "-6.78549", "4.49357",
                             "0.222601", "-0.0338622", "-0.0125170", "-0.802496", "1.55396",
                             "0.729974", "3.35287", "-11.5430", "8.08564", "-4.47857"]),
    "gga_xc_hcth_120": (162, ["1.09163", "-0.747215", "5.07833", "-4.10746", "1.17173",
                              "0.489508", "-0.260699", "0.432917", "-1.99247", "2.48531",
                              "0.514730", "6.92982", "-24.7073", "23.1098", "-11.3234"]),
    "gga_xc_hcth_147": (163, ["1.09025", "-0.799194", "5.57212", "-5.86760", "3.04544",
                              "0.562576", "0.0171436", "-1.30636", "1.05747", "0.885429",
                              "0.542352", "7.01464", "-28.3822", "35.0329", "-20.4284"]),
    "gga_xc_hcth_407": (164, ["1.08184", "-0.518339", "3.42562", "-2.62901", "2.28855",
                              "1.18777", "-2.40292", "5.61741", "-9.17923", "6.24798",
                              "0.589076", "4.42374", "-19.2218", "42.5721", "-42.0052"]),
    "hyb_gga_xc_b97": (407, ["0.8094", "0.5073", "0.7481", "0", "0",
                             "0.1737", "2.3487", "-2.4868", "0", "0",
                             "0.9454", "0.7471", "-4.5961", "0", "0"], {"exchange": ("0.1943", "0", "0")}),
    "hyb_gga_xc_b97_1": (408, ["0.789518", "0.573805", "0.660975", "0", "0",
                               "0.0820011", "2.71681", "-2.87103", "0", "0",
                               "0.955689", "0.788552", "-5.47869", "0", "0"], {"exchange": ("0.21", "0", "0")}),
    "hyb_gga_xc_b97_2": (410, ["0.827642", "0.047840", "1.76125", "0", "0",
                               "0.585808", "-0.691682", "0.394796", "0", "0",
                               "0.999849", "1.40626", "-7.44060", "0", "0"], {"exchange": ("0.21", "0", "0")}),
    "hyb_gga_xc_b97_3": (414, ["0.7334648", "0.2925270", "3.338789", "-10.51158", "10.60907",
                               "0.5623649", "-1.322980", "6.359191", "-7.464002", "1.827082",
                               "1.133830", "-2.811967", "7.431302", "-1.969342", "-11.74423"],
                         {"exchange": ("0.269288", "0", "0")}),
}
GAMMA_X, GAMMA_SAME, GAMMA_OPPOSITE = Fraction("0.004"), Fraction("0.2"), Fraction("0.006")


def coefficients(p, part):
    return [getattr(p, f"c{part}{i}") for i in range(5)]


def exchange(point, p, weight=lambda c: 1):
    """weight(channel) multiplies the uniform gas's exchange."""
    g = point.graph

    def energy(c):
        u = shared.bounded(g, GAMMA_X, root(2, 3) ** 2 * (c.sigma * c.n(Fraction(-8, 3))))
        return LDA_X * c.n(THIRD) * (weight(c) * shared.series(coefficients(p, "x"), u))
    return point.exchange(energy)


def correlation(point, p):
    g = point.graph
    pairs = shared.SpinPairs(point, shared.PublishedGas)
    same = [shared.series(coefficients(p, "ss"), shared.bounded(g, GAMMA_SAME, x2)) for x2 in pairs.x2]
    u = shared.bounded(g, GAMMA_OPPOSITE, Fraction(1, 2) * pairs.both(pairs.x2))
    return pairs.terms(same, shared.series(coefficients(p, "os"), u))


def terms(point, p):
    return exchange(point, p) + correlation(point, p)


def published(m, lib, p, point, weight):
    """weight(n): of the uniform gas's exchange at a closed shell's density n."""
    from functionals import lda_c_pw
    v = [m.mpf(t) for t in lda_c_pw.SETS["lda_c_pw"][1]]

    def g(part, gamma, x2):
        u = m.mpf(gamma) * x2 / (1 + m.mpf(gamma) * x2)
        return sum(c * u ** i for i, c in enumerate(coefficients(p, part)))

    def energy(n, sigma, _):
        x2 = sigma / 4 / lib.power(n / 2, 8, 3)
        return n * lib.uniform_exchange(n) * weight(n) * g("x", "0.004", x2)
    spins = [lib.OfSpin(point, s) for s in range(2)]
    opposite = g("os", "0.006", (spins[0].x2 + spins[1].x2) / 2)
    uniform = lib.perdew_wang(point.rs, point.zeta, v[1:4], v[4:7], [v[7:11], v[11:15], v[15:19]], v[0])
    return (lib.exchange(energy, point)
            + lib.by_pairs(point, uniform, lambda s: g("ss", "0.2", spins[s].x2), opposite, "0.015545"))


def literature(m, lib, p, point):
    return published(m, lib, p, point, lambda n: 1)
