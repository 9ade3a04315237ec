"""What the formulas "as published" share: functions on mpmath's numbers, for tests alone. Nothing here is used
by the generator; what is independent of it is the point."""

import mpmath as m


class Spin:
    """A polarised point: densities, gradients and kinetic energy densities by spin."""

    def __init__(self, a, b, aa, ab, bb, ta, tb):
        self.a, self.b, self.aa, self.ab, self.bb, self.ta, self.tb = a, b, aa, ab, bb, ta, tb
        self.n = a + b
        self.zeta = (a - b) / (a + b)
        self.rs = m.cbrt(3 / (4 * m.pi * self.n))
        self.gradient = aa + 2 * ab + bb  # |grad n|^2
        self.tau = ta + tb


def exchange(energy, point):
    """Spin scaling: E[a, b] = (E[2a] + E[2b]) / 2 of energy(n, sigma, tau), per volume, closed shell."""
    return (energy(2 * point.a, 4 * point.aa, 2 * point.ta) + energy(2 * point.b, 4 * point.bb, 2 * point.tb)) / 2


def uniform_exchange(n):
    """Per electron."""
    return -m.mpf(3) / 4 * m.cbrt(3 * n / m.pi)


def reduced(n, sigma):
    """s = |grad n| / (2 (3 pi^2)^(1/3) n^(4/3))"""
    return m.sqrt(sigma) / (2 * m.cbrt(3 * m.pi ** 2) * n ** (m.mpf(4) / 3))


def power(x, numerator, denominator):
    return x ** (m.mpf(numerator) / denominator)


def f_zeta(z):
    return (power(1 + z, 4, 3) + power(1 - z, 4, 3) - 2) / (2 * m.cbrt(2) - 2)


def phi(z):
    return (power(1 + z, 2, 3) + power(1 - z, 2, 3)) / 2


def perdew_wang(rs, z, a, alpha, beta, fz20):
    def g(i):
        q = 2 * a[i] * (beta[i][0] * m.sqrt(rs) + beta[i][1] * rs + beta[i][2] * power(rs, 3, 2)
                        + beta[i][3] * rs ** 2)
        return -2 * a[i] * (1 + alpha[i] * rs) * m.log(1 + 1 / q)
    f = f_zeta(z)
    return g(0) - g(2) * f / fz20 * (1 - z ** 4) + (g(1) - g(0)) * f * z ** 4


def uniform_tau(n):
    return m.mpf(3) / 10 * power(3 * m.pi ** 2, 2, 3) * power(n, 5, 3)
