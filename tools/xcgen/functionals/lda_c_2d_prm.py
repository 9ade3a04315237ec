"""Correlation of electrons in two dimensions. S. Pittalis, E. Rasanen, M. A. L. Marques, Phys. Rev. B 78, 195322 (2008), of
N electrons; blind to spin."""

from fractions import Fraction

from graph import PI, root

FAMILY = "lda"
KIND = "correlation"
DENSITY = "1e-32"
PARAMETERS = ["electrons"]
SETS = {"lda_c_2d_prm": (16, ["2"])}
Q = Fraction("3.9274")


def terms(point, p):
    g = point.graph
    c = (PI / (2 * Q * Q)) / (p.electrons - 1)
    beta = Q * point.n(Fraction(1, 2))
    phi = beta * g.rcp(beta + root(PI, 2) / 2)
    less = -(root(PI, 2) / 2) * g.rcp(beta + root(PI, 2) / 2)  # phi - 1
    two, one = 2 + c, 1 + c
    root_pi = root(PI, 2)
    total = (root_pi * (beta * less) * (1 / (2 * g.sqrt(two)) + 1 / g.sqrt(one)) + phi * less * (1 / two)
             + (root_pi / 4 / (two * g.sqrt(two))) * (phi * phi * g.rcp(beta)) + phi * (1 / one))
    return point.correlation(PI / (2 * Q * Q) * total)


def literature(m, lib, p, point):
    q = m.mpf("3.9274")
    c = m.pi / (2 * (p.electrons - 1) * q ** 2)
    beta = q * m.sqrt(point.n)
    phi = beta / (beta + m.sqrt(m.pi) / 2)
    return point.n * m.pi / (2 * q ** 2) * (
        m.sqrt(m.pi) * beta * (phi - 1) / (2 * m.sqrt(2 + c)) + phi * (phi - 1) / (2 + c)
        + m.sqrt(m.pi) * phi ** 2 / (4 * beta * m.sqrt(2 + c) ** 3) + m.sqrt(m.pi) * beta * (phi - 1) / m.sqrt(1 + c)
        + phi / (1 + c))
