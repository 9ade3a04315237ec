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


def attenuation(a):
    """The part of the uniform gas's exchange that is of short range, a = omega / (2 k_F)."""
    b = m.exp(-1 / (4 * a ** 2)) - 1
    return 1 - m.mpf(8) / 3 * a * (m.sqrt(m.pi) * m.erf(1 / (2 * a)) + 2 * a * (b - 2 * a ** 2 * b - m.mpf(1) / 2))


def polarised_gas(n, a):
    """Perdew and Wang's energy per electron of a density of one spin alone."""
    rs = m.cbrt(3 / (4 * m.pi * n))
    a, alpha = m.mpf(a), m.mpf("0.20548")
    beta = [m.mpf(t) for t in ("14.1189", "6.1977", "3.3662", "0.62517")]
    q = 2 * a * sum(b * rs ** (m.mpf(i + 1) / 2) for i, b in enumerate(beta))
    return -2 * a * (1 + alpha * rs) * m.log(1 + 1 / q)


def by_pairs(point, uniform, same, opposite, a="0.01554535"):
    """Stoll's partition of the uniform gas, per volume: same(s) multiplies the energy of spin s alone."""
    own = [n * polarised_gas(n, a) for n in (point.a, point.b)]
    return (own[0] * same(0) + own[1] * same(1) + (point.n * uniform - own[0] - own[1]) * opposite)


class OfSpin:
    """x^2 = |grad rho_s|^2 / rho_s^(8/3), tau_s, and (tau of the uniform gas) / tau of a spin."""

    def __init__(self, point, s):
        self.n = (point.a, point.b)[s]
        self.sigma = (point.aa, point.bb)[s]
        self.tau = (point.ta, point.tb)[s]
        self.x2 = self.sigma / power(self.n, 8, 3)
        self.uniform_tau = m.mpf(3) / 10 * power(6 * m.pi ** 2, 2, 3) * power(self.n, 5, 3)
        self.t = self.uniform_tau / self.tau
        self.w = (self.t - 1) / (self.t + 1)
