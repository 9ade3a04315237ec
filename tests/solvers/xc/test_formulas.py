# ctest: cost 60, full with sanitizers
"""The generated code against the formulas as published: every line of a generated function is executed in
mpmath's numbers of 113 bits, which is what binary128 has, and compared with the published expression and its derivatives
by mpmath in 120 digits. Then: the generator writes what is committed, byte by byte. Skipped, but for the last,
without mpmath."""

import importlib
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True  # leave the source tree as it is
SOURCE = os.environ.get("TESELA_SOURCE", os.path.join(os.path.dirname(__file__), "..", "..", ".."))
GENERATOR = os.environ.get("TESELA_XCGEN", os.path.join(SOURCE, "tools", "xcgen"))
GENERATED = os.environ.get("TESELA_XC_GENERATED", os.path.join(SOURCE, "src", "solvers", "xc", "generated"))
ONLY = os.environ.get("TESELA_XC_ONLY")  # one unit alone
sys.path.insert(0, GENERATOR)

import composites  # noqa: E402
import point  # noqa: E402

try:
    import mpmath as m
    import literature as lib
except ImportError:
    m = None

POINTS = {0: 40, 1: 12, 2: 3}  # by order, unless the environment has another number
EACH = os.environ.get("TESELA_XC_POINTS")
DIGITS, BINARY128 = 120, 113  # of what is published; bits of what is executed
STEP = "1e-32"  # of differences, as a share of a variable: half of the digits are left of a second one


def parse(name):
    """{function: [(target, expression)]} of a generated file; expressions are Python's."""
    functions, lines = {}, None
    with open(os.path.join(GENERATED, name), encoding="ascii") as file:
        for line in file:
            head = re.search(r"void XC_NAME\((\w+)\)", line)
            if head:
                lines = functions.setdefault(head[1], [])
            step = re.match(r"    (?:const XC_V )?([\w\[\]]+) = (.*);", line)
            if step:
                lines.append((step[1], re.sub(r"XC_K\(([^()]*)\)", r"K('\1')", step[2])))
    return functions


def operations():
    def select(a, b, yes, no):
        return yes if a > b else no
    return {
        "K": lambda t: m.mpf(t), "x_k": lambda a: a, "x_c": lambda a: a,
        "x_add": lambda a, b: a + b, "x_sub": lambda a, b: a - b, "x_mul": lambda a, b: a * b,
        "x_neg": lambda a: -a, "x_fma": lambda a, b, c: a * b + c, "x_fms": lambda a, b, c: a * b - c,
        "x_fnma": lambda a, b, c: c - a * b, "x_rcp": lambda a: 1 / a, "x_sqrt": m.sqrt,
        "x_rcbrt": lambda a: 1 / m.cbrt(a), "x_exp": m.exp, "x_expm1": m.expm1, "x_log": m.log,
        "x_log1p": m.log1p, "x_atan": m.atan, "x_lambertw": lambda a: m.lambertw(a).real,
        "x_erfcx": lambda a: m.exp(a * a) * m.erfc(a), "x_expint": lambda a: m.exp(a) * m.e1(a),
        "x_expint4": lambda a: m.exp(a) * m.expint(4, a),
        "x_expint72": lambda a: m.exp(a) * m.expint(m.mpf(7) / 2, a), "x_max": max, "x_min": min,
        "x_step_ge": lambda a, b: m.mpf(a >= b), "x_step_gt": lambda a, b: m.mpf(a > b),
        "x_keep_ge": lambda a, b, c: c if a >= b else m.mpf(0),
        "x_keep_gt": lambda a, b, c: c if a > b else m.mpf(0), "x_select": select,
        "s_pow": lambda a, b: a ** b, "s_sqrt": m.sqrt, "s_rcbrt": lambda a: 1 / m.cbrt(a), "s_exp": m.exp,
        "s_log": m.log, "s_atan": m.atan, "s_max": max, "s_min": min,
    }


def translate(lines):
    """A function's lines as Python's code."""
    text = "\n".join(f"{target} = {expression}" for target, expression in lines)
    return compile(re.sub(r"\bin\[", "inputs[", text), "generated", "exec")


def run(code, scope):
    """Execute a function's lines; scope has in, c or p and out."""
    scope = dict(operations(), **{k if k != "in" else "inputs": v for k, v in scope.items()})
    exec(code, scope)  # noqa: S102 (our own generated text)


class Values:
    def __init__(self, names, values):
        for name, value in zip(names, values):
            setattr(self, name, value)


class Sum:
    """A unit with one set of parameters a component."""

    def __init__(self, unit, sets):
        self.unit, self.sets = unit, sets
        self.parts = []
        for coefficient, name, module in sets:
            values = [m.mpf(v) if "/" not in v else m.mpf(int(v.split("/")[0])) / int(v.split("/")[1])
                      for v in module.SETS[name][1]]
            self.parts.append((m.mpf(coefficient), module, Values(module.PARAMETERS, values)))
        self.family = max((p[1].FAMILY for p in self.parts), key=lambda f: point.NEEDED[f])

    def constants(self, rows):
        """c of the unit's functions, its thresholds far below what is asked."""
        p = [m.mpf("1e-60")] * 200
        prepare = parse(f"{self.unit}_prepare.inc")
        for i, (kind, component, index) in enumerate(rows):
            if kind == "TSL_XC_VALUE":
                coefficient, module, values = self.parts[component]
                p[i] = getattr(values, module.PARAMETERS[index])
            elif kind == "TSL_XC_COEFFICIENT":
                p[i] = self.parts[component][0]
        out = [m.mpf(0)] * 200
        run(translate(prepare[f"xc_{self.unit}_prepare"]), {"p": p, "c": out})
        return out

    def published(self, polarised, inputs):
        """Energy per volume."""
        if polarised:
            names = dict(zip(point.inputs_of(self.family, True), inputs))
            spin = [names.get(n, m.mpf(1)) for n in point.INPUTS[True]]
        else:
            n, sigma, tau = list(inputs) + [m.mpf(1)] * (3 - len(inputs))
            spin = [n / 2, n / 2, sigma / 4, sigma / 4, sigma / 4, tau / 2, tau / 2]
        at = lib.Spin(*spin)
        return sum(c * module.literature(m, lib, values, at) for c, module, values in self.parts)


def parameter_rows(unit):
    with open(os.path.join(GENERATED, f"{unit}.c"), encoding="ascii") as file:
        return [(k, int(c), int(i)) for k, c, i in
                re.findall(r"^    \{(TSL_XC_\w+), (\d+), (\d+)\},", file.read(), re.M)]


def random_inputs(family, polarised, source):
    """A point that no threshold or clip touches."""
    def log(low, high):
        return m.mpf(10) ** m.mpf(source.uniform(low, high))
    if not polarised:
        n = log(-4, 2)
        s, a = log(-2, 0.5), log(-1, 0.7)
        sigma = (2 * m.cbrt(3 * m.pi ** 2) * s) ** 2 * n ** (m.mpf(8) / 3)
        tau = sigma / (8 * n) + a * m.mpf("2.871234") * n ** (m.mpf(5) / 3)
        return [n, sigma, tau][:point.NEEDED[family]]
    n, z = log(-4, 2), m.mpf(source.uniform(-0.95, 0.95))
    rho = [n * (1 + z) / 2, n * (1 - z) / 2]
    s = [log(-2, 0.5), log(-2, 0.5)]
    g = [2 * m.cbrt(6 * m.pi ** 2) * s[i] * rho[i] ** (m.mpf(4) / 3) for i in range(2)]
    t = [g[i] ** 2 / (8 * rho[i]) + log(-1, 0.7) * m.mpf("4.557799") * rho[i] ** (m.mpf(5) / 3) for i in range(2)]
    cross = g[0] * g[1] * m.mpf(source.uniform(-0.9, 0.9))
    cross = max(min(cross, (g[0] ** 2 + g[1] ** 2) / 2), -(g[0] ** 2 + g[1] ** 2) / 2)
    return [rho, rho + [g[0] ** 2, cross, g[1] ** 2],
            rho + [g[0] ** 2, cross, g[1] ** 2] + t][point.NEEDED[family] - 1]


class Derivatives:
    """f at x and its derivatives, by differences ahead, each function value worked out once."""

    def __init__(self, f, x):
        self.f, self.x, self.h, self.known = f, x, m.mpf(STEP), {}

    def at(self, *steps):
        """f where each variable in `steps` is a step further."""
        place = tuple(sorted(steps))
        if place not in self.known:
            self.known[place] = self.f([v * (1 + self.h * place.count(i)) for i, v in enumerate(self.x)])
        return self.known[place]

    def first(self, i):
        return (self.at(i) - self.at()) / (self.h * self.x[i])

    def second(self, i, j):
        change = self.at(i, j) - self.at(i) - self.at(j) + self.at()
        return change / (self.h * self.x[i] * self.h * self.x[j])


@unittest.skipIf(m is None, "mpmath is not installed (Debian: python3-mpmath)")
class Published(unittest.TestCase):
    def setUp(self):
        m.mp.dps = DIGITS

    def compare(self, one, polarised, order, count):
        source = random.Random(f"{one.unit} {polarised} {order}")
        names = point.inputs_of(one.family, polarised)
        spin = "p" if polarised else "u"
        file = f"{one.unit}_{'second' if order == 2 else 'first'}.inc"
        code = translate(parse(file)[f"xc_{one.unit}_{spin}{order}"])
        with m.workprec(BINARY128):
            constants = one.constants(parameter_rows(one.unit))
        for _ in range(count):
            x = [m.mpf(float(v)) for v in random_inputs(one.family, polarised, source)]
            n = x[0] + x[1] if polarised else x[0]
            out = [m.mpf(0)] * 40
            with m.workprec(BINARY128):
                run(code, {"in": x, "c": constants, "out": out})
            f = Derivatives(lambda v: one.published(polarised, v), x)
            scale = n * abs(lib.uniform_exchange(n))
            self.near(out[0] * n, f.at(), scale, "exc", one)
            for i, name in enumerate(names if order == 1 else []):
                self.near(out[1 + i], f.first(i), scale / abs(x[i]), f"v {name}", one)
            for k, (a, b) in enumerate(point.pairs(names) if order == 2 else []):
                i, j = names.index(a), names.index(b)
                self.near(out[1 + len(names) + k], f.second(i, j), scale / abs(x[i] * x[j]), f"v2 {a} {b}", one)

    def near(self, got, wanted, scale, what, one):
        error = abs(got - wanted) / max(abs(wanted), scale)
        self.assertLess(error, m.mpf("1e-20"), f"{one.unit} {one.sets[0][1]}: {what}: {m.nstr(got, 20)} instead "
                                               f"of {m.nstr(wanted, 20)}")

    def sums(self):
        modules = {}
        for name in sorted(os.listdir(os.path.join(GENERATOR, "functionals"))):
            if name.endswith(".py") and name != "__init__.py":
                module = importlib.import_module(f"functionals.{name[:-3]}")
                modules.update({s: module for s in module.SETS})
                for s in module.SETS:
                    yield Sum(name[:-3], [("1", s, module)])
        for unit, sets in composites.FUSED.items():
            yield Sum(unit, [(str(1 + i / 4), s, modules[s]) for i, s in enumerate(sets)])

    def test_generated_lines(self):
        seen = set()
        for one in self.sums():
            if ONLY is not None and one.unit != ONLY:
                continue
            first = one.unit not in seen
            seen.add(one.unit)
            with self.subTest(unit=one.unit, set=one.sets[0][1]):
                for order in (0, 1, 2):
                    for polarised in (False, True):
                        count = POINTS[order] if EACH is None else int(EACH)
                        # other sets of parameters only differ in data
                        if first or order == 1:
                            self.compare(one, polarised, order, count if first else 1)


class Committed(unittest.TestCase):
    def test_generator_writes_what_is_committed(self):
        result = subprocess.run([sys.executable, os.path.join(GENERATOR, "xcgen"), "--check"],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        self.assertEqual((result.returncode, result.stdout), (0, ""))


@unittest.skipIf(m is None or ONLY is not None, "mpmath is not installed (Debian: python3-mpmath)")
class Page(unittest.TestCase):
    def test_a_functional_is_added_from_the_page_alone(self):
        """The file that docs/howto-add-a-functional.md shows, generated and held to its published formula."""
        with open(os.path.join(SOURCE, "docs", "howto-add-a-functional.md"), encoding="utf-8") as file:
            text = file.read()
        name = re.search(r"functionals/(\w+)\.py`", text)[1]
        with tempfile.TemporaryDirectory() as folder:
            generator, generated = os.path.join(folder, "xcgen"), os.path.join(folder, "generated")
            shutil.copytree(GENERATOR, generator)
            target = os.path.join(generator, "functionals", f"{name}.py")
            self.assertFalse(os.path.exists(target))
            with open(target, "w", encoding="utf-8") as file:
                file.write(re.search(r"```python\n(.*?)```", text, re.S)[1])
            subprocess.run([sys.executable, os.path.join(generator, "xcgen"), "--only", name, "--output",
                            generated], stdout=subprocess.DEVNULL, check=True)
            environment = dict(os.environ, TESELA_XCGEN=generator, TESELA_XC_GENERATED=generated,
                               TESELA_XC_ONLY=name)
            result = subprocess.run([sys.executable, __file__, "Published"], env=environment, text=True,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            self.assertEqual(result.returncode, 0, result.stdout)


if __name__ == "__main__":
    unittest.main()
