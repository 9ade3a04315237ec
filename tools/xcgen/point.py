"""What a functional sees of a point: densities, gradients and kinetic energies with their floors and clips, by
spin or not, and how derivatives by these become derivatives by the inputs."""

from fractions import Fraction

from graph import PI, Graph, root

THIRD = Fraction(1, 3)
RS = root(Fraction(3, 4) / PI, 3)  # r_s = RS n^(-1/3)
LDA_X = Fraction(-3, 4) * root(3 / PI, 3)  # exchange of the uniform gas per electron = LDA_X n^(1/3)
S2 = 1 / (4 * root(3 * PI * PI, 3) ** 2)  # s^2 = S2 sigma n^(-8/3)
TF = Fraction(3, 10) * root(3 * PI * PI, 3) ** 2  # tau of the uniform gas = TF n^(5/3)

INPUTS = {False: ["rho", "sigma", "tau"],
          True: ["rho_a", "rho_b", "sigma_aa", "sigma_ab", "sigma_bb", "tau_a", "tau_b"]}
NEEDED = {"lda": 1, "gga": 2, "mgga": 3}


def inputs_of(family, polarised):
    kinds = ["rho", "sigma", "tau"][:NEEDED[family]]
    return [name for name in INPUTS[polarised] if name.split("_")[0] in kinds]


def kinds_of(names):
    return [k for k in ("rho", "sigma", "tau") if any(n.split("_")[0] == k for n in names)]


def pairs(names):
    """Pairs of inputs in Libxc's order of second derivatives: rho rho, rho sigma, …, sigma sigma, …"""
    kinds = kinds_of(names)
    group = {k: [n for n in names if n.split("_")[0] == k] for k in kinds}
    out = []
    for i, k in enumerate(kinds):
        for l in kinds[i:]:
            for a, name in enumerate(group[k]):
                out += [(name, other) for other in (group[l][a:] if k == l else group[l])]
    return out


def mirror(name):
    """The same of the other spin."""
    kind, _, spin = name.partition("_")
    return {"a": f"{kind}_b", "b": f"{kind}_a", "aa": f"{kind}_bb", "bb": f"{kind}_aa"}.get(spin, name)


class Channel:
    """Exchange's view: an unpolarised density n with sigma and tau, of which its energy per electron is a
    function; of one spin of a polarised point n is twice that spin's density."""

    def __init__(self, density, scale, sigma, tau):
        self.density, self.scale = density, scale
        self.spin_sigma, self.spin_tau = sigma, tau
        self.sigma = None if sigma is None else scale * scale * sigma
        self.tau = None if tau is None else scale * tau

    def n(self, exponent):
        exponent = Fraction(exponent)
        factor = root(self.scale, exponent.denominator) ** exponent.numerator if self.scale != 1 else 1
        return factor * self.density ** exponent

    @property
    def s2(self):
        return S2 * (self.sigma * self.n(Fraction(-8, 3)))

    @property
    def excess(self):
        """8 n (tau - tau_W), rounded once: where tau is all but tau_W nothing else has its digits."""
        inner = self.density.graph.fms(self.density, 8 * self.spin_tau, self.spin_sigma)
        return self.scale * self.scale * inner

    @property
    def alpha(self):
        """(tau - tau_W) / tau of the uniform gas"""
        return self.excess * self.n(Fraction(-8, 3)) / (8 * TF)


class Point:
    """The variables of components that have one set of thresholds."""

    def __init__(self, unit, thresholds, family):
        g = self.graph = unit.graph
        self.unit, self.family, self.polarised = unit, family, unit.polarised
        density = g.param(f"{thresholds}.density")
        self.thresholds, self.density_floor = thresholds, density
        self.meta = unit.meta
        if self.polarised:
            self.open_polarised(density)
        else:
            self.open_unpolarised()

    def floored_sigma(self, name, density, tau):
        g = self.graph
        sigma = g.max(self.unit.leaf(name), g.param(f"{self.thresholds}.sigma"))
        return sigma if tau is None else g.min(sigma, 8 * (density * tau))

    def floored_tau(self, name):
        g = self.graph
        tau = g.base(g.max(self.unit.leaf(name), g.param("tau")), name)
        self.meta[tau] = [(name, None)]
        return tau

    def open_unpolarised(self):
        g = self.graph
        # All thresholds share a density: where a component is not masked, no floor lifts it.
        self.rho = g.base(g.max(g.leaf("rho"), g.param("floor")), "rho")
        self.meta[self.rho] = [("rho", None)]
        self.mask = g.step_ge(g.leaf("rho"), self.density_floor)
        self.mask_spin = g.step_gt(g.leaf("rho"), 2 * self.density_floor)
        self.sigma = self.tau = None
        if self.family == "mgga":
            self.tau = self.floored_tau("tau")
        if self.family != "lda":
            self.sigma = g.base(self.floored_sigma("sigma", self.rho, self.tau), f"sigma.{self.thresholds}")
            self.meta[self.sigma] = [("sigma", None)]
        self.zeta = g.const(0)
        self.opz = self.omz = g.const(1)

    def open_polarised(self, density):
        g = self.graph
        t = self.thresholds
        self.spin = []
        for s in "ab":
            base = g.base(g.max(self.unit.leaf(f"rho_{s}"), density), f"rho_{s}.{t}")
            self.meta[base] = [(f"rho_{s}", None)]
            self.spin.append(base)
        a, b = self.spin
        self.rho = g.base(a + b, f"rho.{t}")
        self.meta[self.rho] = [("rho_a", None), ("rho_b", None)]
        self.mask = g.step_ge(self.unit.leaf("rho_a") + self.unit.leaf("rho_b"), density)
        self.mask_of = [self.mask * g.step_gt(self.unit.leaf(f"rho_{s}"), density) for s in "ab"]
        inverse = self.rho ** -1
        up, down = 2 * (a * inverse), 2 * (b * inverse)
        self.raw = (up, down)
        clip = g.param("zeta")
        self.zeta = g.base((a - b) * inverse, f"zeta.{t}")
        self.opz = g.base(g.max(up, clip), f"opz.{t}")
        self.omz = g.base(g.max(down, clip), f"omz.{t}")
        self.unit.spin_bases[self.zeta] = (self, g.const(1))
        self.unit.spin_bases[self.opz] = (self, g.step_gt(up, clip))
        self.unit.spin_bases[self.omz] = (self, -g.step_gt(down, clip))
        self.taus = [None, None]
        self.tau = self.sigma = None
        if self.family == "mgga":
            self.taus = [self.floored_tau(f"tau_{s}") for s in "ab"]
            self.tau = g.base(self.taus[0] + self.taus[1], "tau")
            self.meta[self.tau] = [("tau_a", None), ("tau_b", None)]
        if self.family != "lda":
            self.open_sigmas()

    def open_sigmas(self):
        g = self.graph
        t = self.thresholds
        self.sigmas = []
        for s, density, tau in zip("ab", self.spin, self.taus):
            base = g.base(self.floored_sigma(f"sigma_{s}{s}", density, tau), f"sigma_{s}{s}.{t}")
            self.meta[base] = [(f"sigma_{s}{s}", None)]
            self.sigmas.append(base)
        half = Fraction(1, 2) * (self.sigmas[0] + self.sigmas[1])
        self.cross = g.base(g.min(g.max(self.unit.leaf("sigma_ab"), -half), half), f"sigma_ab.{t}")
        self.meta[self.cross] = [("sigma_ab", None)]
        self.sigma = g.base(self.sigmas[0] + self.sigmas[1] + 2 * self.cross, f"sigma.{t}")
        self.meta[self.sigma] = [("sigma_aa", None), ("sigma_ab", g.const(2)), ("sigma_bb", None)]

    # ---- what formulas use

    def n(self, exponent):
        return self.rho ** Fraction(exponent)

    @property
    def rs(self):
        return RS * self.n(-THIRD)

    @property
    def sqrt_rs(self):
        return root(RS, 2) * self.n(Fraction(-1, 6))

    @property
    def excess(self):
        """8 n (tau - tau_W) of the whole density. Of two spins a sum of four differences, a with a, b with b and each
        with the other: rounding n, tau or sigma before would cost the digits that fms keeps."""
        g = self.graph
        if not self.polarised:
            return g.fms(self.rho, 8 * self.tau, self.sigma)
        (a, b), (ta, tb), (aa, bb) = self.spin, [8 * t for t in self.taus], self.sigmas
        total = (g.fms(a, ta, aa) + g.fms(b, tb, bb)) + (g.fms(a, tb, self.cross) + g.fms(b, ta, self.cross))
        return g.state(total, [(self.rho, 8 * self.tau), (self.tau, 8 * self.rho), (self.sigma, g.const(-1))])

    @property
    def f_zeta(self):
        """((1 + z)^(4/3) + (1 - z)^(4/3) - 2) / (2^(4/3) - 2)"""
        if not self.polarised:
            return self.graph.const(0)
        power = Fraction(4, 3)
        return (self.opz ** power + self.omz ** power - 2) * (1 / (root(2, 3) * 2 - 2))

    def phi(self, exponent=Fraction(2, 3)):
        """((1 + z)^e + (1 - z)^e) / 2"""
        if not self.polarised:
            return self.graph.const(1)
        return Fraction(1, 2) * (self.opz ** exponent + self.omz ** exponent)

    def exchange(self, energy):
        """Terms of an exchange energy whose unpolarised energy per electron is energy(channel)."""
        if not self.polarised:
            return [(self.rho, self.mask_spin, energy(Channel(self.rho, 1, self.sigma, self.tau)))]
        terms = []
        for s in range(2):
            sigma = None if self.family == "lda" else self.sigmas[s]
            channel = Channel(self.spin[s], 2, sigma, self.taus[s])
            terms.append((self.spin[s], self.mask_of[s], energy(channel)))
        return terms

    def correlation(self, energy):
        """Terms of an energy per electron."""
        return [(self.rho, self.mask, energy)]


class Unit:
    """One unit of code: the sum of components, of one kind of spin."""

    def __init__(self, components, polarised, apart=False):
        self.graph = Graph()
        self.polarised = polarised
        self.meta = {}  # base -> [(input, derivative of the base by it; None: 1)]
        self.spin_bases = {}  # base that depends on zeta -> (its point, derivative by zeta)
        self.family = max((c.family for c in components), key=lambda f: NEEDED[f])
        self.names = inputs_of(self.family, polarised)
        self.swapped = self.find_order() if polarised else None
        points, parts = {}, {}
        self.point_of = {}
        for c in components:
            key = (c.thresholds, c.family)
            if key not in points:
                points[key] = Point(self, c.thresholds, c.family)
            weight = self.graph.param(f"{c.name}.coefficient")
            for base, mask, energy in c.terms(points[key], c.parameters_of(self.graph)):
                place = base, c.name if apart else None
                part = self.graph.select_mask(mask, weight) * energy
                parts[place] = parts[place] + part if place in parts else part
                self.point_of[base] = points[key]
        self.parts = parts
        self.points = list(points.values())

    # ---- spins in one order, so that swapping them changes no bit

    def find_order(self):
        """1 where b comes before a: has the larger density, or else sigma, or else tau."""
        g = self.graph
        order = g.const(0)
        for a, b in reversed([(n, mirror(n)) for n in self.names if n in ("rho_a", "sigma_aa", "tau_a")]):
            a, b = g.leaf(a), g.leaf(b)
            order = g.select(b, a, 1, g.select(a, b, 0, order))
        return order

    def leaf(self, name):
        g = self.graph
        if not self.polarised or mirror(name) == name:
            return g.leaf(name)
        return g.select(self.swapped, Fraction(1, 2), g.leaf(mirror(name)), g.leaf(name))

    def restore(self, named):
        """The outputs of the spins as they came."""
        if not self.polarised:
            return named
        by_name = dict(named)
        out = []
        for name, node in named:
            words = [mirror(w) for w in name.split()]
            other = by_name.get(" ".join(words)) or by_name[" ".join(words[:1] + words[:0:-1])]
            out.append((name, self.graph.select(self.swapped, Fraction(1, 2), other, node)))
        return out

    def physical(self, node, factor):
        """{input: factor times the derivative of node by it}; factor: a node, as a base that cancels."""
        g = self.graph
        gradient = g.gradient(node)
        out = {}

        def add(name, term):
            out[name] = out[name] + term if name in out else term

        by_zeta = {}
        for base in sorted(gradient, key=lambda b: b.index):
            plain, logarithmic = gradient[base]
            if base in self.spin_bases:
                point, slope = self.spin_bases[base]
                term = plain if g.value_of(logarithmic) == 0 else plain + logarithmic * base ** -1
                term = slope * term
                by_zeta[point] = by_zeta[point] + term if point in by_zeta else term
                continue
            term = factor * plain
            if g.value_of(logarithmic) != 0:
                term = term + logarithmic * (g.const(1) if base is factor else factor * base ** -1)
            for name, slope in self.meta[base]:
                add(name, term if slope is None else slope * term)
        for point, term in by_zeta.items():
            ratio = g.const(1) if point.rho is factor else factor * point.rho ** -1
            term = term * ratio
            add("rho_a", point.raw[1] * term)
            add("rho_b", -(point.raw[0] * term))
        return out

    def outputs(self, order):
        """[(name, node)] up to the order, in Libxc's order."""
        g = self.graph
        zero = g.const(0)
        first = {name: zero for name in self.names}
        energy = zero
        self.milestones = []  # sums so far, part by part: to be worked out in this order
        for (base, _), part in self.parts.items():
            total = self.point_of[base].rho
            energy = energy + (part if base is total else part * (base * total ** -1))
            for name, term in self.physical(part, base).items():
                first[name] = first[name] + term
            for name, slope in self.meta[base]:
                first[name] = first[name] + (part if slope is None else slope * part)
            self.milestones += [energy] + (list(first.values()) if order > 0 else [])
        out = [("exc", energy)]
        if order >= 1:
            out += [(f"v {name}", first[name]) for name in self.names]
        if order >= 2:
            rows = {name: self.physical(first[name], g.const(1)) for name in self.names}
            for name, other in pairs(self.names):
                out.append((f"v2 {name} {other}", rows[name].get(other, zero)))
        return self.restore(out)
