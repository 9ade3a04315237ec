"""Correlation of the uniform gas by Vosko, Wilk and Nusair, their fifth interpolation between spins.

S. H. Vosko, L. Wilk, M. Nusair, Can. J. Phys. 58, 1200 (1980), eq. 4.4. With x = rs^(1/2), X(x) = x^2 + b x + c and Q
= (4 c - b^2)^(1/2), both logarithms are of ratios near 1 at low density: each is minus log(1 + small). Derivatives by x
are those of the closed form.
"""

from fractions import Fraction

from graph import root

FAMILY = "lda"
KIND = "correlation"
DENSITY = "1e-15"
FIELDS = ["a", "b", "c", "x0"]
PARAMETERS = [f"{field}{i}" for i in (1, 2, 3) for field in FIELDS]
STIFFNESS = "-0.016886863940389628602"  # -1 / (6 pi^2)
SETS = {
    "lda_c_vwn": (7, ["0.0310907", "3.72744", "12.9352", "-0.10498",
                      "0.01554535", "7.06042", "18.0578", "-0.32500",
                      STIFFNESS, "1.13107", "13.0045", "-0.0047584"]),
}


def interpolation(point, p, i):
    g = point.graph
    a, b, c, x0 = [getattr(p, f"{field}{i}") for field in FIELDS]
    x = point.sqrt_rs
    slope = 2 * x + b
    inverse = g.rcp(x * (x + b) + c)
    q = g.sqrt(4 * c - b * b)
    share = b * x0 / (x0 * x0 + b * x0 + c)
    apart = g.rcp(x - x0)
    first = g.state(-g.log1p((b * x + c) / point.rs),
                    [(x, 2 / x - slope * inverse)])
    second = g.state(-g.log1p(((b + 2 * x0) * x + (c - x0 * x0)) * (apart * apart)),
                     [(x, 2 * apart - slope * inverse)])
    angle = g.state(g.atan(q * g.rcp(slope)), [(x, Fraction(-1, 2) * (q * inverse))])
    weight = 2 * b / q - share * (2 * (2 * x0 + b) / q)
    return a * (first + weight * angle - share * second)


def energy(point, p):
    if not point.polarised:
        return interpolation(point, p, 1)
    f, z4 = point.f_zeta, point.zeta ** 4
    second = Fraction(9, 4) * (root(2, 3) - 1)  # 1 / f''(0)
    para = interpolation(point, p, 1)
    stiffness = second * interpolation(point, p, 3)
    return para + f * (stiffness + z4 * (interpolation(point, p, 2) - para - stiffness))


def terms(point, p):
    return point.correlation(energy(point, p))


def published(m, rs, a, b, c, x0):
    x = m.sqrt(rs)
    q = m.sqrt(4 * c - b ** 2)

    def big(y):
        return y ** 2 + b * y + c
    angle = m.atan(q / (2 * x + b))
    return a * (m.log(x ** 2 / big(x)) + 2 * b / q * angle
                - b * x0 / big(x0) * (m.log((x - x0) ** 2 / big(x)) + 2 * (b + 2 * x0) / q * angle))


def literature(m, lib, p, point):
    e = [published(m, point.rs, *[getattr(p, f"{field}{i}") for field in FIELDS]) for i in (1, 2, 3)]
    f, z4 = lib.f_zeta(point.zeta), point.zeta ** 4
    curvature = 4 / (9 * (m.cbrt(2) - 1))
    return point.n * (e[0] + e[2] * f * (1 - z4) / curvature + (e[1] - e[0]) * f * z4)
