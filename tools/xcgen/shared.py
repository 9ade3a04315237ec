"""What several formulas share: the uniform gas's correlation by pairs of spins, series of bounded variables, and the
attenuation of exchange by distance."""

from fractions import Fraction

from functionals import gga_c_pbe, lda_c_pw
from graph import PI, root
from point import RS, THIRD


class OneSpin:
    """The density of one spin alone, fully polarised: `scale` times a density."""

    polarised = True

    def __init__(self, point, density, scale, sigma):
        self.graph, self.density, self.scale, self.sigma = point.graph, density, scale, sigma

    def n(self, exponent):
        exponent = Fraction(exponent)
        factor = root(self.scale, exponent.denominator) ** exponent.numerator if self.scale != 1 else 1
        return factor * self.density ** exponent

    @property
    def rs(self):
        return RS * self.n(-THIRD)

    @property
    def sqrt_rs(self):
        return root(RS, 2) * self.n(Fraction(-1, 6))

    def phi(self):
        return self.graph.const(1 / root(2, 3))


class PublishedGas:
    """The constants of Perdew and Wang's formula as published, which the sets fitted with Becke's form take."""

    def __init__(self, graph):
        for name, value in zip(lda_c_pw.PARAMETERS, lda_c_pw.SETS["lda_c_pw"][1]):
            setattr(self, name, graph.const(Fraction(value)))


def polarised_gas(at, u):
    """The energy per electron of the fully polarised gas."""
    return lda_c_pw.interpolation(at, u.a2, u.alpha2, [getattr(u, f"beta{j}2") for j in (1, 2, 3, 4)])


class SpinPairs:
    """Correlation as a sum over pairs of spins: the uniform gas by Stoll's partition, and the variables of each spin.

    own[s] is the energy per electron of spin s alone, opposite that of pairs of opposite spins per electron of the whole
    density; x2[s] is |grad rho_s|^2 / rho_s^(8/3), z[s] is tau_s / rho_s^(5/3), free[s] is 1 - tau_W / tau. A closed shell
    has one entry for both spins."""

    def __init__(self, point, gas=gga_c_pbe.Uniform):
        g = point.graph
        gas = gas(g)
        self.point = point
        whole = lda_c_pw.energy(point, gas)
        if point.polarised:
            spins = list(zip(point.spin, point.sigmas, point.taus, point.mask_of, (point.opz, point.omz)))
            self.own = [polarised_gas(OneSpin(point, density, 1, None), gas) for density, *_ in spins]
            self.x2 = [sigma * density ** Fraction(-8, 3) for density, sigma, *_ in spins]
            self.opposite = whole
            for own, (_, _, _, mask, share) in zip(self.own, spins):
                self.opposite = self.opposite - Fraction(1, 2) * (mask * (share * own))
            self.places = [(density, mask) for density, _, _, mask, _ in spins]
            if point.tau is not None:
                self.z = [tau * density ** Fraction(-5, 3) for density, _, tau, *_ in spins]
                self.free = [Fraction(1, 8) * ((density * (8 * tau) - sigma) * (density ** -1 * g.rcp(tau)))
                             for density, sigma, tau, *_ in spins]
        else:
            self.own = [polarised_gas(OneSpin(point, point.rho, Fraction(1, 2), None), gas)]
            self.x2 = [root(2, 3) ** 2 * (point.sigma * point.n(Fraction(-8, 3)))]
            self.opposite = whole - point.mask_spin * self.own[0]
            self.places = [(point.rho, point.mask_spin)]
            if point.tau is not None:
                self.z = [root(2, 3) ** 2 * (point.tau * point.n(Fraction(-5, 3)))]
                self.free = [Fraction(1, 8) * (point.excess * (point.n(-1) * g.rcp(point.tau)))]

    def both(self, values):
        """The sum over the spins."""
        return values[0] + values[1] if self.point.polarised else 2 * values[0]

    def terms(self, same, opposite):
        """same[s] multiplies own[s], opposite the energy of opposite spins."""
        out = [(density, mask, own * factor) for (density, mask), own, factor in zip(self.places, self.own, same)]
        return out + self.point.correlation(self.opposite * opposite)


def bounded(g, gamma, x2):
    """gamma x^2 / (1 + gamma x^2)"""
    y = gamma * x2
    return y * g.rcp(1 + y)


def series(coefficients, u):
    """The polynomial of u, by Horner."""
    out = coefficients[-1]
    for c in reversed(coefficients[:-1]):
        out = out * u + c
    return out


UNIFORM_SPIN = Fraction(3, 10) * root(6 * PI * PI, 3) ** 2  # tau_s / rho_s^(5/3) of the uniform gas


def attenuation_series(terms):
    """Coefficients, from y^2 on, of F(y) = 1 - 4 / (3 y) (sqrt(pi) erf y + (1/y - 1/(2 y^3)) exp(-y^2) - 3/(2 y) +
    1/(2 y^3)) in powers of y^2, y = k_F / omega."""
    out = []
    for k in range(1, terms + 1):
        factorial = [1]
        for i in range(1, k + 4):
            factorial.append(factorial[-1] * i)
        erf = Fraction(2 * (-1) ** k, factorial[k] * (2 * k + 1))  # of y^(2 k + 1)
        first = Fraction((-1) ** (k + 1), factorial[k + 1])
        second = Fraction((-1) ** (k + 2), factorial[k + 2])
        out.append(Fraction(-4, 3) * (erf + first - second / 2))
    return out


def attenuation(g, y):
    """The part of the uniform gas's exchange that is of short range, erfc(omega r) / r, y = k_F / omega: closed above 1,
    where it does not cancel, and a series below."""
    z = g.select(y, 1, 1, y)
    small = z * z
    near = small * series([g.const(c) for c in attenuation_series(20)], small)
    far = g.select(y, 1, y, 1)
    inverse = g.rcp(far)
    square = inverse * inverse
    bell = g.exp(-(far * far))
    erf = 1 - bell * g.erfcx(far)
    inner = root(PI, 2) * erf + inverse * (bell * (1 - Fraction(1, 2) * square) + Fraction(1, 2) * square - Fraction(3, 2))
    return g.select(y, 1, 1 - Fraction(4, 3) * (inverse * inner), near)
