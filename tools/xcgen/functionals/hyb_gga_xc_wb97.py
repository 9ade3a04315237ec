"""The range-separated functionals of Chai and Head-Gordon: Becke's form of 1997 with exchange of short range.

J.-D. Chai, M. Head-Gordon, J. Chem. Phys. 128, 084106 (2008); Phys. Chem. Chem. Phys. 10, 6615 (2008); N. Mardirossian, M.
Head-Gordon, Phys. Chem. Chem. Phys. 16, 9904 (2014). omega-B97X-V is its semilocal part: the nonlocal correlation VV10 is
left to the caller, and so is the dispersion of omega-B97X-D.
"""

import shared
from functionals import gga_xc_b97
from graph import PI, root
from point import THIRD

FAMILY = "gga"
KIND = "exchange and correlation"
DENSITY = "1e-14"
PARAMETERS = gga_xc_b97.PARAMETERS + ["omega"]
SETS = {
    "hyb_gga_xc_wb97": (463, ["1", "1.13116", "-2.74915", "12.0900", "-5.71642",
                              "1", "-2.55352", "11.8926", "-26.9452", "17.0927",
                              "1", "3.99051", "-17.0066", "1.07292", "8.88211", "0.4"],
                        {"exchange": ("0", "1", "0.4")}),
    "hyb_gga_xc_wb97x": (464, ["0.842294", "0.726479", "1.04760", "-5.70635", "13.2794",
                               "1", "-4.33879", "18.2308", "-31.7430", "17.2901",
                               "1", "2.37031", "-11.3995", "6.58405", "-3.78132", "0.3"],
                         {"exchange": ("0.157706", "0.842294", "0.3")}),
    "hyb_gga_xc_wb97x_v": (466, ["0.833", "0.603", "1.194", "0", "0",
                                 "0.556", "-0.257", "0", "0", "0",
                                 "1.219", "-1.850", "0", "0", "0", "0.3"],
                           {"exchange": ("0.167", "0.833", "0.3"), "vv10": ("6", "0.01")}),
    "hyb_gga_xc_wb97x_d": (471, ["0.777964", "0.661160", "0.574541", "-5.25671", "11.6386",
                                 "1", "-6.90539", "31.3343", "-51.0533", "26.4423",
                                 "1", "1.79413", "-12.0477", "14.0847", "-8.50809", "0.2"],
                           {"exchange": ("0.222036", "0.777964", "0.2")}),
}


def terms(point, p):
    momentum = root(3 * PI * PI, 3) / p.omega
    return (gga_xc_b97.exchange(point, p, lambda c: shared.attenuation(point.graph, momentum * c.n(THIRD)))
            + gga_xc_b97.correlation(point, p))


def literature(m, lib, p, point):
    return gga_xc_b97.published(m, lib, p, point,
                                lambda n: lib.attenuation(p.omega / (2 * m.cbrt(3 * m.pi ** 2 * n))))
