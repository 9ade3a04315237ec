"""Correlation of Wigner: a (1 - zeta^2) / (b + r_s). E. Wigner, Trans. Faraday Soc. 34, 678 (1938)."""

FAMILY = "lda"
KIND = "correlation"
DENSITY = "1e-24"
PARAMETERS = ["a", "b"]
SETS = {"lda_c_wigner": (2, ["-0.44", "7.8"])}


def terms(point, p):
    energy = p.a * point.graph.rcp(p.b + point.rs)
    return point.correlation(energy * (point.opz * point.omz) if point.polarised else energy)


def literature(m, lib, p, point):
    return point.n * p.a * (1 - point.zeta ** 2) / (p.b + point.rs)
