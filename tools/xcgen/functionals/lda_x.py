"""Exchange of the uniform gas. P. A. M. Dirac, Proc. Cambridge Philos. Soc. 26, 376 (1930); J. C. Slater, Phys. Rev.
81, 385 (1951)."""

from point import LDA_X, THIRD

FAMILY = "lda"
KIND = "exchange"
DENSITY = "1e-15"
PARAMETERS = ["alpha"]
SETS = {"lda_x": (1, ["1"])}


def terms(point, p):
    return point.exchange(lambda c: p.alpha * (LDA_X * c.n(THIRD)))


def literature(m, lib, p, point):
    return lib.exchange(lambda n, _, __: p.alpha * n * lib.uniform_exchange(n), point)
