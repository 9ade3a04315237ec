"""Exchange of the strongly constrained and appropriately normed functional (SCAN).

J. Sun, A. Ruzsinszky, J. P. Perdew, Phys. Rev. Lett. 115, 036402 (2015), with its supplement. Around alpha = 1 the
interpolation is zero, as in Libxc, from where its exponential is below 2^-52.
"""

from fractions import Fraction

from graph import LN2, root
from point import LDA_X, THIRD

FAMILY = "mgga"
KIND = "exchange"
DENSITY = "1e-15"
PARAMETERS = ["c1", "c2", "d", "k1"]
SETS = {"mgga_x_scan": (263, ["0.667", "0.8", "1.24", "0.065"])}
MU_GE = Fraction(10, 81)
B2 = root(Fraction(5913, 405000), 2)
B1 = Fraction(511, 13500) / (2 * B2)
H0 = Fraction("1.174")
A1 = Fraction("4.9479")
EPSILON = 52 * LN2  # -log 2^-52


def interpolation(g, alpha, c1, c2, d, left, right):
    """f(alpha): one exponential for both sides, since only one counts; zero from `left` to `right`."""
    none = g.select(alpha, left, g.select(right, alpha, 1, 0), 0)
    safe = g.select(none, Fraction(1, 2), 0, alpha)
    t = g.rcp(1 - safe)
    exponent = g.select(alpha, 1, c2, -(c1 * safe)) * t
    sign = g.select(none, Fraction(1, 2), 0, g.select(alpha, 1, -d, 1))
    f = sign * g.exp(exponent)
    return g.state(f, [(alpha, g.select(alpha, 1, c2, -c1) * (t * t) * f)])


def cutoffs(c1, c2, log_d):
    return EPSILON * (1 / (EPSILON + c1)), 1 + c2 * (1 / (EPSILON + log_d))


def damping(g, s2):
    """1 - exp(-a1 / s^(1/2))"""
    return -g.expm1(-(A1 * g.rcp(g.sqrt(g.sqrt(s2)))))


def h1(y, k1):
    return 1 + k1 * y / (k1 + y)


def terms(point, p):
    g = point.graph
    left, right = cutoffs(p.c1, p.c2, g.log(p.d))
    b4 = MU_GE ** 2 / p.k1 - Fraction(1606, 18225) - B1 ** 2

    def energy(c):
        s2, alpha = c.s2, c.alpha
        a1 = 1 - alpha
        square = a1 * a1
        inner = B1 * s2 + B2 * (a1 * g.exp(-(Fraction(1, 2) * square)))
        y = s2 * (MU_GE + b4 * (s2 * g.exp(-((b4 * (1 / MU_GE)) * s2)))) + inner * inner
        f = interpolation(g, alpha, p.c1, p.c2, p.d, left, right)
        h = h1(y, p.k1)
        return LDA_X * c.n(THIRD) * ((h + f * (H0 - h)) * damping(g, s2))
    return point.exchange(energy)


def published_interpolation(m, alpha, c1, c2, d):
    value = m.exp(-c1 * alpha / (1 - alpha)) if alpha < 1 else -d * m.exp(c2 / (1 - alpha))
    return value if abs(value) > m.mpf(2) ** -52 else m.mpf(0)


def literature(m, lib, p, point):
    mu = m.mpf(10) / 81
    b2 = m.sqrt(m.mpf(5913) / 405000)
    b1 = m.mpf(511) / 13500 / (2 * b2)
    b3 = m.mpf(1) / 2
    b4 = mu ** 2 / p.k1 - m.mpf(1606) / 18225 - b1 ** 2

    def energy(n, sigma, tau):
        s = lib.reduced(n, sigma)
        alpha = (tau - sigma / (8 * n)) / lib.uniform_tau(n)
        x = (mu * s ** 2 * (1 + b4 * s ** 2 / mu * m.exp(-abs(b4) * s ** 2 / mu))
             + (b1 * s ** 2 + b2 * (1 - alpha) * m.exp(-b3 * (1 - alpha) ** 2)) ** 2)
        h = 1 + p.k1 - p.k1 / (1 + x / p.k1)
        f = published_interpolation(m, alpha, p.c1, p.c2, p.d)
        gx = 1 - m.exp(-m.mpf("4.9479") / m.sqrt(s))
        return n * lib.uniform_exchange(n) * (h + f * (m.mpf("1.174") - h)) * gx
    return lib.exchange(energy, point)
