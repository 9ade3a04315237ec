"""Exchange of the re-regularised SCAN (r2SCAN).

J. W. Furness, A. D. Kaplan, J. Ning, J. P. Perdew, J. Sun, J. Phys. Chem. Lett. 11, 8208 (2020), with its supplement. The
interpolation is rSCAN's: A. P. Bartok, J. R. Yates, J. Chem. Phys. 150, 161101 (2019).
"""

from fractions import Fraction

from functionals import mgga_x_scan
from point import LDA_X, THIRD, TF

FAMILY = "mgga"
KIND = "exchange"
DENSITY = "1e-11"
PARAMETERS = ["c1", "c2", "d", "k1", "eta", "dp2"]
SETS = {
    "mgga_x_r2scan": (497, ["0.667", "0.8", "1.24", "0.065", "0.001", "0.361"]),
    "mgga_x_r2scan01": (645, ["0.667", "0.8", "1.24", "0.065", "0.01", "0.361"]),
}
# Of the polynomial, from the constant on.
POLYNOMIAL = [Fraction(t) for t in ("1", "-0.667", "-0.4445555", "-0.663086601049", "1.451297044490", "-0.887998041597",
                                    "0.234528941479", "-0.023185843322")]
END = Fraction(5, 2)


def value_at(polynomial, x):
    return sum(c * x ** i for i, c in enumerate(polynomial))


def slope_of(polynomial):
    return [i * c for i, c in enumerate(polynomial)][1:]


def real_roots(polynomial, low, high):
    """The simple roots between low and high, to 70 digits, by Newton from where the sign changes."""
    slope, scale = slope_of(polynomial), 10 ** 70
    places = [low + Fraction(i, 16) for i in range(int(16 * (high - low)) + 1)]
    roots = []
    for a, b in zip(places, places[1:]):
        if value_at(polynomial, a) * value_at(polynomial, b) < 0:
            x = (a + b) / 2
            for _ in range(12):
                x = Fraction(round(scale * (x - value_at(polynomial, x) / value_at(slope, x))), scale)
            if not a < x < b:
                raise ValueError("Newton left the interval of a root")
            roots.append(x)
    return roots


def factored(x, polynomial):
    """A polynomial of x by its real roots from -1 to 3: each factor x - root keeps its digits where the sum of
    powers would cancel to nothing."""
    rest, factors = polynomial, []
    for r in real_roots(polynomial, -1, 3):
        quotient = [rest[-1]]  # by Horner's scheme, the highest power first
        for c in reversed(rest[1:-1]):
            quotient.append(quotient[-1] * r + c)
        rest = quotient[::-1]
        factors.append(x - r)
    product = rest[-1]
    if len(rest) == 3:  # (x - m)^2 + k
        middle = -rest[1] / (2 * rest[2])
        factors.append((x - middle) * (x - middle) + (rest[0] / rest[2] - middle * middle))
    elif len(rest) != 1:
        raise ValueError("a polynomial with roots elsewhere")
    for factor in factors:
        product = product * factor
    return product


def interpolation(g, alpha, c1, c2, d, polynomial):
    """f(alpha): an exponential below 0 and above 5/2, between them a polynomial."""
    outside = g.select(alpha, END, 1, g.select(alpha, 0, 0, 1))
    safe = g.select(outside, Fraction(1, 2), alpha, 0)
    held = alpha - safe  # alpha between the ends, else 0
    t = g.rcp(1 - safe)
    exponent = g.select(alpha, END, c2, -(c1 * safe)) * t
    f_out = g.select(alpha, END, -d, 1) * g.exp(exponent)
    value, slope = g.const(polynomial[-1]), g.const(0)
    for coefficient in reversed(polynomial[:-1]):
        slope = slope * held + value
        value = value * held + coefficient
    # Where tau is all but tau_W, alpha changes so fast that second derivatives are this one alone.
    g.state(slope, [(held, factored(held, slope_of(slope_of(polynomial))))])
    g.state(held, [(alpha, 1 - outside)])
    f = g.select(outside, Fraction(1, 2), f_out, value)
    d_out = g.select(alpha, END, c2, -c1) * (t * t) * f_out
    g.state(f_out, [(alpha, d_out * outside)])
    return g.state(f, [(alpha, g.select(outside, Fraction(1, 2), d_out, slope))])


def derivative_at_one(polynomial):
    return sum(i * c for i, c in enumerate(polynomial))


def terms(point, p):
    g = point.graph
    cn = Fraction(20, 27) + Fraction(5, 3) * p.eta
    c2 = -derivative_at_one(POLYNOMIAL) * (1 - mgga_x_scan.H0)
    steep = 1 / (p.dp2 ** 4)

    def energy(c):
        s2 = c.s2
        alpha = c.excess * g.rcp((8 * TF) * c.n(Fraction(8, 3)) + p.eta * c.sigma)
        x = s2 * (mgga_x_scan.MU_GE + (cn * c2) * g.exp(-(steep * (s2 * s2))))
        h = mgga_x_scan.h1(x, p.k1)
        f = interpolation(g, alpha, p.c1, p.c2, p.d, POLYNOMIAL)
        return LDA_X * c.n(THIRD) * ((h + f * (mgga_x_scan.H0 - h)) * mgga_x_scan.damping(g, s2))
    return point.exchange(energy)


def published_interpolation(m, alpha, c1, c2, d, polynomial):
    if alpha <= 0:
        return m.exp(-c1 * alpha / (1 - alpha))
    if alpha <= m.mpf(5) / 2:
        return sum(m.mpf(c.numerator) / c.denominator * alpha ** i for i, c in enumerate(polynomial))
    return -d * m.exp(c2 / (1 - alpha))


def published_slope(m, polynomial):
    return sum(i * m.mpf(c.numerator) / c.denominator for i, c in enumerate(polynomial))


def literature(m, lib, p, point):
    mu, h0 = m.mpf(10) / 81, m.mpf("1.174")
    c_eta = m.mpf(20) / 27 + p.eta * m.mpf(5) / 3
    c2 = -published_slope(m, POLYNOMIAL) * (1 - h0)

    def energy(n, sigma, tau):
        s = lib.reduced(n, sigma)
        alpha = (tau - sigma / (8 * n)) / (lib.uniform_tau(n) + p.eta * sigma / (8 * n))
        x = (c_eta * c2 * m.exp(-s ** 4 / p.dp2 ** 4) + mu) * s ** 2
        h = 1 + p.k1 - p.k1 / (1 + x / p.k1)
        f = published_interpolation(m, alpha, p.c1, p.c2, p.d, POLYNOMIAL)
        return n * lib.uniform_exchange(n) * (h + f * (h0 - h)) * (1 - m.exp(-m.mpf("4.9479") / m.sqrt(s)))
    return lib.exchange(energy, point)
