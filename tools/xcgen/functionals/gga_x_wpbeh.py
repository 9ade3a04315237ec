"""Short-range exchange from the hole of Ernzerhof and Perdew, of Heyd, Scuseria and Ernzerhof.

M. Ernzerhof, J. P. Perdew, J. Chem. Phys. 109, 3313 (1998); J. Heyd, G. E. Scuseria, M. Ernzerhof, J. Chem. Phys. 118, 8207
(2003); 124, 219906 (2006); J. Heyd, G. E. Scuseria, J. Chem. Phys. 120, 7274 (2004). With y the distance times k_F and w =
omega / k_F the enhancement is

    -8/9 int y [(A/y^2 + B + C (1 + s^2 F) y^2 + (E + s^2 G) y^4) exp(-D y^2) - A / (y^2 (1 + 4/9 A y^2))] exp(-s^2 H y^2)
    erfc(w y) dy,

in whose last term, and the first, erfc x = exp(-b x^2) sum_i e_i x^i up to i = 8 for w <= 14, beyond exp(-2 x^2).
Gradients above s = 1 are bent to -log(exp(-s) + exp(-8.572844)): T. M. Henderson, B. G. Janesko, G. E. Scuseria, J. Chem.
Phys. 128, 194105 (2008). What comes of the two approximated terms are generalised exponential integrals, E_(i/2) for the
power i; their recurrence loses digits upwards where the argument is large, so it is taken downwards there.
"""

from decimal import Decimal
from fractions import Fraction

from graph import PI, root
from point import LDA_X, THIRD

FAMILY = "gga"
KIND = "exchange"
DENSITY = "1e-14"
PARAMETERS = ["omega"]
SETS = {"gga_x_wpbeh": (524, ["0"])}
A, B, C, D, E = [Fraction(t) for t in ("1.0161144", "-0.37170836", "-0.077215461", "0.57786348", "-0.051955731")]
H = [Fraction(t) for t in ("0.00979681", "0.0410834", "0.187440", "0.00120824", "0.0347188")]
F1, F2 = Fraction("6.4753871"), Fraction("0.47965830")
G = [Fraction(t) for t in ("-0.02628417880", "-0.07117647788", "0.08534541323")]
STEP = Fraction("0.08")  # s below which s^2 G is a series
ERFC = [Fraction(t) for t in ("1", "-1.128223946706117", "1.452736265762971", "-1.243162299390327", "0.971824836115601",
                              "-0.568861079687373", "0.246880514820192", "-0.065032363850763", "0.008401793031216")]
NEAR, FAR, CUT = Fraction("1.455915450052607"), Fraction(2), 14
BENT, MOST, END = 1, Fraction("8.572844"), 15
TURN = 4  # argument above which the recurrence goes down
SMALLEST = Fraction(1, 10 ** 60)  # of s^2 H, at which the energy has its limit to all digits


def bent(g, s):
    low = Fraction((Decimal(-MOST.numerator) / MOST.denominator).exp())
    middle = -g.log(g.exp(-g.min(s, END)) + low)
    return g.select(s, END, MOST, g.select(s, BENT, middle, s))


def scaled_integrals(g, x):
    """[x exp(x) E_(i/2)(x)], i = 1 to 8"""
    low, high = g.select(x, TURN, TURN, x), g.select(x, TURN, x, TURN)
    root_low = g.sqrt(low)
    up = [root(PI, 2) * (root_low * g.erfcx(root_low)), low * g.expint(low)]
    for i in range(1, 7):
        up.append(Fraction(2, i) * (low * (1 - up[i - 1])))
    inverse = g.rcp(high)
    down = [high * g.expint4(high), high * g.expint72(high)]
    for i in range(6, 0, -1):
        down.append(1 - Fraction(i, 2) * (down[6 - i] * inverse))
    return [g.select(x, TURN, b, a) for a, b in zip(up, reversed(down))]


def half_gamma(i):
    """Gamma(i / 2) / 2"""
    value = Fraction(1, 2) if i % 2 == 0 else root(PI, 2) / 2
    at = Fraction(1 if i % 2 == 0 else Fraction(1, 2))
    while at < Fraction(i, 2):
        value, at = value * at, at + 1
    return value


def near_part(g, sh, w):
    """The integrals in which erfc is approximated."""
    alpha = 4 * A / 9
    width = g.select(w, CUT, FAR, NEAR)
    beta = g.max(sh, SMALLEST) + width * (w * w)
    delta = D + beta
    x = (1 / alpha) * beta
    integral = g.expint(x)
    both = g.state(g.log(beta) + integral, [(beta, (1 / alpha) * integral)])
    total = (A / 2) * (both - g.log(delta))
    ratio, other = w * g.rcp(g.sqrt(beta)), w * g.rcp(g.sqrt(delta))
    used = g.select(w, CUT, 0, 1)
    series, power, other_power = g.const(0), g.const(1), g.const(1)
    for i, kappa in enumerate(scaled_integrals(g, x), 1):
        power, other_power = power * ratio, other_power * other
        series = series + (A * ERFC[i] * half_gamma(i)) * (other_power - power * kappa)
    return total + used * series


def exact_part(g, s, s2, sh, f, w):
    """The integrals with erfc itself; 1 - w / (ds + w^2)^(1/2) is divided out."""
    ds = D + sh
    dw = ds + w * w
    r = w * g.rcp(g.sqrt(dw))
    inverse = g.rcp(dw * (1 + r))
    square = inverse * inverse
    c = C * (1 + s2 * f)
    argument = g.sqrt((Fraction(9, 4) / A) * sh)
    cube = ds * (ds * ds)
    inner = 15 * E + 6 * (c * ds) + 4 * B * (ds * ds) + 8 * A * cube
    closed = (Fraction(-4, 5) * root(PI, 2)) * (cube * g.sqrt(ds) * (1 - root(A, 2) * g.erfcx(argument))) - inner / 15
    s2g = g.select(s, STEP, closed, s2 * (G[0] + s2 * (G[1] + G[2] * s2)))
    return ((B / 2) * inverse + Fraction(1, 4) * (c * ((2 + r) * square))
            + Fraction(1, 8) * ((E + s2g) * ((8 + r * (9 + 3 * r)) * (square * inverse))))


def terms(point, p):
    g = point.graph

    def energy(channel):
        s = bent(g, g.sqrt(channel.s2))
        s2 = s * s
        s4 = s2 * s2
        h = (H[0] + H[1] * s2) * g.rcp(1 + s4 * (H[2] + s * (H[3] + H[4] * s)))  # H / s^2
        sh = s4 * h
        f = F1 * (s2 * h) + F2
        w = p.omega / root(3 * PI * PI, 3) * channel.n(-THIRD)
        total = near_part(g, sh, w) + exact_part(g, s, s2, sh, f, w)
        return (Fraction(-8, 9) * LDA_X) * (channel.n(THIRD) * total)
    return point.exchange(energy)


def literature(m, lib, p, point):
    a, b, c, d, e = [m.mpf(v.numerator) / v.denominator for v in (A, B, C, D, E)]
    ha = [m.mpf(v.numerator) / v.denominator for v in H]
    coefficients = [m.mpf(v.numerator) / v.denominator for v in ERFC]

    def number(v):
        return m.mpf(v.numerator) / v.denominator

    def energy(n, sigma, _):
        s = lib.reduced(n, sigma)
        if s > 1:
            s = -m.log(m.exp(-s) + m.exp(-number(MOST))) if s <= 15 else number(MOST)
        w = p.omega / m.cbrt(3 * m.pi ** 2 * n)
        h = (ha[0] * s ** 2 + ha[1] * s ** 4) / (1 + ha[2] * s ** 4 + ha[3] * s ** 5 + ha[4] * s ** 6)
        f = number(F1) * h + number(F2)
        ds = d + s ** 2 * h
        if s > number(STEP):
            ga = (m.sqrt(m.pi) * (15 * e + 6 * c * (1 + f * s ** 2) * ds + 4 * b * ds ** 2 + 8 * a * ds ** 3)
                  / (16 * lib.power(ds, 7, 2))
                  - m.mpf(3) / 4 * m.pi * m.sqrt(a) * m.exp(9 * h * s ** 2 / (4 * a))
                  * m.erfc(m.mpf(3) / 2 * s * m.sqrt(h / a)))
            gb = m.mpf(15) / 16 * m.sqrt(m.pi) * s ** 2 / lib.power(ds, 7, 2)
            g = -(m.mpf(3) / 4 * m.pi + ga) / gb
        else:
            g = number(G[0]) + number(G[1]) * s ** 2 + number(G[2]) * s ** 4
        # int y^(2 k + 1) exp(-ds y^2) erfc(w y) dy, k = 0, 1, 2
        dw = ds + w ** 2
        r = w / m.sqrt(dw)
        i0 = (1 - r) / (2 * ds)
        i1 = (2 * (1 - r) - ds / dw * r) / (4 * ds ** 2)
        i2 = (8 * (1 - r) - 4 * ds / dw * r - 3 * (ds / dw) ** 2 * r) / (8 * ds ** 3)
        total = b * i0 + c * (1 + s ** 2 * f) * i1 + (e + s ** 2 * g) * i2
        width = number(NEAR) if w <= CUT else number(FAR)
        beta, delta, alpha = s ** 2 * h + width * w ** 2, d + s ** 2 * h + width * w ** 2, 4 * a / 9
        x = beta / alpha
        k = [None, m.pi / (2 * m.sqrt(alpha)) * m.exp(x) * m.erfc(m.sqrt(x)), m.exp(x) * m.e1(x) / (2 * alpha)]
        total += a * m.log(beta / delta) / 2 + a * alpha * k[2]
        for i in range(1, 9 if 0 < w <= CUT else 1):
            if i > 2:
                k.append((m.gamma(m.mpf(i - 2) / 2) / 2 * beta ** (-m.mpf(i - 2) / 2) - k[i - 2]) / alpha)
            total += coefficients[i] * w ** i * a * (m.gamma(m.mpf(i) / 2) / 2 * delta ** (-m.mpf(i) / 2) - k[i])
        return n * lib.uniform_exchange(n) * (-m.mpf(8) / 9 * total)
    return lib.exchange(energy, point)
