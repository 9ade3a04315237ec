"""Exchange of Becke, 1986: F = 1 + beta x^2 / (1 + gamma x^2)^omega, x = |grad rho_s| / rho_s^(4/3).

A. D. Becke, J. Chem. Phys. 84, 4524 (1986); J. Chem. Phys. 85, 7184 (1986), with the exponent 4/5; I. Hamada, Phys. Rev. B
89, 121103 (2014).
"""

from fractions import Fraction

from graph import root
from point import LDA_X, THIRD

FAMILY = "gga"
KIND = "exchange"
DENSITY = "1e-15"
PARAMETERS = ["beta", "gamma", "omega"]
SETS = {
    "gga_x_b86": (103, ["0.0038687806896395269", "0.004", "1"]),
    "gga_x_b86_mgc": (105, ["0.0040299798850411735346", "0.007", "0.8"]),
    "gga_x_b86_r": (41, ["0.0020315194871630319964", "0.0028556641652558783714", "0.8"]),
}


def terms(point, p):
    g = point.graph

    def energy(c):
        x2 = root(2, 3) ** 2 * (c.sigma * c.n(Fraction(-8, 3)))
        return LDA_X * c.n(THIRD) * (1 + p.beta * (x2 * g.exp(-p.omega * g.log1p(p.gamma * x2))))
    return point.exchange(energy)


def literature(m, lib, p, point):
    def energy(n, sigma, _):
        x2 = sigma / 4 / lib.power(n / 2, 8, 3)
        return n * lib.uniform_exchange(n) * (1 + p.beta * x2 / (1 + p.gamma * x2) ** p.omega)
    return lib.exchange(energy, point)
