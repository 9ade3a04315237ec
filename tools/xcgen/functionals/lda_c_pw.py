"""Correlation of the uniform gas by Perdew and Wang.

J. P. Perdew, Y. Wang, Phys. Rev. B 45, 13244 (1992), eqs. 8 to 10. `mod`: with more digits, as PBE uses it.
"""

FAMILY = "lda"
KIND = "correlation"
DENSITY = "1e-15"
PARAMETERS = (["fz20"] + [f"a{i}" for i in (1, 2, 3)] + [f"alpha{i}" for i in (1, 2, 3)]
              + [f"beta{j}{i}" for i in (1, 2, 3) for j in (1, 2, 3, 4)])
REST = ["0.21370", "0.20548", "0.11125",
        "7.5957", "3.5876", "1.6382", "0.49294",
        "14.1189", "6.1977", "3.3662", "0.62517",
        "10.357", "3.6231", "0.88026", "0.49671"]
MOD = ["1.709920934161365617563962776245", "0.0310907", "0.01554535", "0.0168869"] + REST
SETS = {
    "lda_c_pw": (12, ["1.709921", "0.031091", "0.015545", "0.016887"] + REST),
    "lda_c_pw_mod": (13, MOD),
}


def interpolation(point, a, alpha, betas):
    """G of eq. 10: -2 a (1 + alpha rs) log(1 + 1 / q), q = 2 a (beta1 rs^(1/2) + … + beta4 rs^2)."""
    g = point.graph
    x = point.sqrt_rs
    rs = point.rs
    q = (2 * a) * (x * (betas[0] + x * (betas[1] + x * (betas[2] + x * betas[3]))))
    inverse = g.rcp(q * q + q)
    log = g.state(g.log1p((q + 1) * inverse), [(q, -inverse)])
    return (-2 * a) * ((1 + alpha * rs) * log)


def energy(point, p):
    """Eq. 8; the third interpolation is minus the spin stiffness."""
    part = [interpolation(point, getattr(p, f"a{i}"), getattr(p, f"alpha{i}"),
                          [getattr(p, f"beta{j}{i}") for j in (1, 2, 3, 4)])
            for i in ((1, 2, 3) if point.polarised else (1,))]
    if not point.polarised:
        return part[0]
    f, z4 = point.f_zeta, point.zeta ** 4
    stiffness = part[2] * (1 / p.fz20)
    return part[0] + f * (z4 * (part[1] - part[0] + stiffness) - stiffness)


def terms(point, p):
    return point.correlation(energy(point, p))


def literature(m, lib, p, point):
    a = [getattr(p, f"a{i}") for i in (1, 2, 3)]
    alpha = [getattr(p, f"alpha{i}") for i in (1, 2, 3)]
    beta = [[getattr(p, f"beta{j}{i}") for j in (1, 2, 3, 4)] for i in (1, 2, 3)]
    return point.n * lib.perdew_wang(point.rs, point.zeta, a, alpha, beta, p.fz20)
