"""Correlation of Lee, Yang and Parr, in the form without Laplacians.

C. Lee, W. Yang, R. G. Parr, Phys. Rev. B 37, 785 (1988); B. Miehlich, A. Savin, H. Stoll, H. Preuss, Chem. Phys. Lett.
157, 200 (1989), eq. 2. r = n^(-1/3). Of a closed shell all gradient terms together are omega sigma (3 + 7 delta) / 72.
"""

from fractions import Fraction

from point import TF, THIRD

FAMILY = "gga"
KIND = "correlation"
DENSITY = "1e-14"
PARAMETERS = ["a", "b", "c", "d"]
SETS = {"gga_c_lyp": (131, ["0.04918", "0.132", "0.2533", "0.349"])}


def energy(point, p):
    g = point.graph
    r = point.n(-THIRD)
    damp = g.rcp(1 + p.d * r)
    omega = p.b * (g.exp(-(p.c * r)) * damp)
    delta = r * (p.c + p.d * damp)
    n = point.n(Fraction(-8, 3))
    if not point.polarised:
        gradients = (point.sigma * n) * (Fraction(1, 24) + Fraction(7, 72) * delta)
        return p.a * (omega * (gradients - TF) - damp)
    up, down = point.opz, point.omz
    both = up * down
    a, b = point.sigmas[0] * n, point.sigmas[1] * n
    whole = point.sigma * n
    kinetic = Fraction(1, 2) * TF * (up ** Fraction(8, 3) + down ** Fraction(8, 3))
    second = whole * (Fraction(2, 3) - both * (Fraction(47, 72) - Fraction(7, 72) * delta))
    third = both * ((Fraction(5, 8) - Fraction(1, 72) * delta) * (a + b)
                    + (Fraction(1, 72) * (delta - 11)) * (a * up + b * down))
    fourth = Fraction(1, 4) * (up * up * b + down * down * a) - Fraction(2, 3) * (a + b)
    return p.a * (omega * (second + third + fourth - both * kinetic) - both * damp)


def terms(point, p):
    return point.correlation(energy(point, p))


def literature(m, lib, p, point):
    """Eq. 2 of Miehlich and others, per volume."""
    a, b, n = point.a, point.b, point.n
    r = 1 / m.cbrt(n)
    omega = m.exp(-p.c * r) / (1 + p.d * r) * lib.power(n, -11, 3)
    delta = p.c * r + p.d * r / (1 + p.d * r)
    cf = m.mpf(3) / 10 * lib.power(3 * m.pi ** 2, 2, 3)
    whole = point.gradient
    inner = a * b * (lib.power(m.mpf(2), 11, 3) * cf * (lib.power(a, 8, 3) + lib.power(b, 8, 3))
                     + (m.mpf(47) / 18 - 7 * delta / 18) * whole
                     - (m.mpf(5) / 2 - delta / 18) * (point.aa + point.bb)
                     - (delta - 11) / 9 * (a / n * point.aa + b / n * point.bb))
    inner += -m.mpf(2) / 3 * n ** 2 * whole + (2 * n ** 2 / 3 - a ** 2) * point.bb + (2 * n ** 2 / 3 - b ** 2) * point.aa
    return -4 * p.a / (1 + p.d * r) * a * b / n - p.a * p.b * omega * inner
