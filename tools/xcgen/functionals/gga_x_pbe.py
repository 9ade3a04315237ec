"""Exchange of Perdew, Burke and Ernzerhof: F = 1 + kappa - kappa / (1 + mu s^2 / kappa).

J. P. Perdew, K. Burke, M. Ernzerhof, Phys. Rev. Lett. 77, 3865 (1996).
"""

from point import LDA_X, THIRD

FAMILY = "gga"
KIND = "exchange"
DENSITY = "1e-15"
PARAMETERS = ["kappa", "mu"]
MU = "0.2195149727645171"
SETS = {
    "gga_x_pbe": (101, ["0.8040", MU]),
    "gga_x_pbe_r": (102, ["1.245", MU]),
    "gga_x_pbe_sol": (116, ["0.804", "10/81"]),
    "gga_x_xpbe": (123, ["0.91954", "0.23214"]),
    "gga_x_pbe_jsjr": (126, ["0.8040", "0.15133393415003682"]),
    "gga_x_pbek1_vdw": (140, ["1.0", MU]),
    "gga_x_apbe": (184, ["0.8040", "0.260"]),
    "gga_x_pbe_tca": (59, ["1.227", MU]),
    "gga_x_pbe_mol": (49, ["0.8040", "0.27583"]),
    "gga_x_bcgp": (38, ["0.8040", "0.249"]),
    "gga_x_pbefe": (265, ["0.437", "0.346"]),
    # kappa = lambda / 2^(1/3) - 1, lambda the constant of Lieb and Oxford's bound
    "gga_x_lambda_oc2_n": (40, ["0.58740105196819947475", MU]),
    "gga_x_lambda_ch_n": (44, ["0.75804666505478091829", MU]),
    "gga_x_lambda_lo_n": (45, ["0.80408129556185870306", MU]),
}


def enhancement(channel, p):
    x = p.mu * channel.s2
    return 1 + p.kappa * x / (p.kappa + x)


def terms(point, p):
    return point.exchange(lambda c: LDA_X * c.n(THIRD) * enhancement(c, p))


def literature(m, lib, p, point):
    def energy(n, sigma, _):
        s = lib.reduced(n, sigma)
        return n * lib.uniform_exchange(n) * (1 + p.kappa - p.kappa / (1 + p.mu * s ** 2 / p.kappa))
    return lib.exchange(energy, point)
