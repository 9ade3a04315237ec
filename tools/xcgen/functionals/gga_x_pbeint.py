"""Exchange between solids and molecules: PBE's form whose mu goes from that of the gradient expansion to PBE's.

E. Fabiano, L. A. Constantin, F. Della Sala, Phys. Rev. B 82, 113104 (2010).
"""

from point import LDA_X, THIRD

FAMILY = "gga"
KIND = "exchange"
DENSITY = "1e-12"
PARAMETERS = ["kappa", "alpha", "mu_pbe", "mu_ge"]
SETS = {"gga_x_pbeint": (60, ["0.804", "0.197", "0.2195149727645171", "10/81"])}


def enhancement(g, c, p):
    s2 = c.s2
    rise = p.alpha * s2
    x = s2 * (p.mu_ge + (p.mu_pbe - p.mu_ge) * (rise * g.rcp(1 + rise)))
    return 1 + p.kappa * (x * g.rcp(p.kappa + x))


def terms(point, p):
    return point.exchange(lambda c: LDA_X * c.n(THIRD) * enhancement(point.graph, c, p))


def published(m, lib, p, n, sigma):
    s2 = lib.reduced(n, sigma) ** 2
    mu = p.mu_ge + (p.mu_pbe - p.mu_ge) * p.alpha * s2 / (1 + p.alpha * s2)
    return 1 + p.kappa - p.kappa / (1 + mu * s2 / p.kappa)


def literature(m, lib, p, point):
    return lib.exchange(lambda n, sigma, tau: n * lib.uniform_exchange(n) * published(m, lib, p, n, sigma), point)
