"""Correlation of the uniform gas by Chachiyo: a log(1 + b / rs + b / rs^2), between the spins by f(zeta).

T. Chachiyo, J. Chem. Phys. 145, 021101 (2016). Index 1 is of no polarisation, 2 of full polarisation.
"""

FAMILY = "lda"
KIND = "correlation"
DENSITY = "1e-15"
PARAMETERS = ["a1", "b1", "a2", "b2"]
SETS = {"lda_c_chachiyo": (287, ["-0.01554535", "20.4562557", "-0.007772675", "27.4203609"])}


def terms(point, p):
    inverse = 1 / point.rs
    near = inverse * (1 + inverse)
    low = p.a1 * point.graph.log1p(p.b1 * near)
    if not point.polarised:
        return point.correlation(low)
    high = p.a2 * point.graph.log1p(p.b2 * near)
    return point.correlation(low + point.f_zeta * (high - low))


def literature(m, lib, p, point):
    low, high = [a * m.log(1 + b / point.rs + b / point.rs ** 2) for a, b in ((p.a1, p.b1), (p.a2, p.b2))]
    return point.n * (low + (high - low) * lib.f_zeta(point.zeta))
