"""Expressions as a graph of common subexpressions, and their derivatives.

A node is made once for each distinct operation, so whatever two outputs share is shared by construction.
Nothing is ever expanded. Derivatives are taken by walking the graph backwards, which gives nodes of the same
graph again; those of second order come from walking back from them. Constants are exact fractions: irrational
ones carry 60 digits, so that the same graph serves double precision and binary128.
"""

from decimal import Decimal, getcontext
from fractions import Fraction

getcontext().prec = 70


def real(text):
    """A constant from its decimal text, exactly."""
    return Fraction(text)


def root(value, degree):
    """value^(1/degree) to 60 digits."""
    value = Fraction(value)
    number = Decimal(value.numerator) / Decimal(value.denominator)
    return Fraction((number.ln() / degree).exp().quantize(Decimal(10) ** (number.adjusted() // degree - 60)))


PI = Fraction("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899863")
LN2 = Fraction("0.69314718055994530941723212145817656807550013436025525412068000949339362196969471561")

COMMUTATIVE = {"add", "mul"}
# Operations of one operand, in the order of their cost.
FUNCTIONS = {"neg", "rcp", "sqrt", "rcbrt", "log", "log1p", "exp", "expm1", "atan", "lambertw", "erfcx", "expint", "expint4", "expint72"}
COMPARISONS = {"step_ge", "step_gt"}


class Node:
    """One operation. `args` are nodes, or for a leaf its name and for a constant its value."""

    __slots__ = ("graph", "op", "args", "index", "fixed")

    def __init__(self, graph, op, args, index, fixed):
        self.graph, self.op, self.args, self.index = graph, op, args, index
        self.fixed = fixed  # depends on parameters and constants alone

    def __add__(self, other):
        return self.graph.add(self, self.graph.lift(other))

    __radd__ = __add__

    def __sub__(self, other):
        return self.graph.add(self, self.graph.neg(self.graph.lift(other)))

    def __rsub__(self, other):
        return self.graph.lift(other) - self

    def __mul__(self, other):
        return self.graph.mul(self, self.graph.lift(other))

    __rmul__ = __mul__

    def __neg__(self):
        return self.graph.neg(self)

    def __truediv__(self, other):
        other = self.graph.lift(other)
        if other.op == "const":
            return self * (1 / other.args[0])
        return self * self.graph.rcp(other)

    def __rtruediv__(self, other):
        return self.graph.lift(other) / self

    def __pow__(self, exponent):
        return self.graph.power(self, exponent)


class Graph:
    """All nodes of one unit of code."""

    def __init__(self):
        self.nodes = []
        self.known = {}
        self.rules = {}  # node -> [(operand, derivative)]: derivatives that are stated, not derived

    # ---- making nodes

    def make(self, op, *args):
        if op in COMMUTATIVE and args[0].index > args[1].index:
            args = (args[1], args[0])
        key = (op,) + tuple(a.index if isinstance(a, Node) else a for a in args)
        node = self.known.get(key)
        if node is None:
            inner = [a for a in args if isinstance(a, Node)]
            fixed = op in ("const", "param") or (bool(inner) and all(a.fixed for a in inner))
            node = Node(self, op, args, len(self.nodes), fixed)
            self.nodes.append(node)
            self.known[key] = node
        return node

    def const(self, value):
        return self.make("const", Fraction(value))

    def lift(self, value):
        return value if isinstance(value, Node) else self.const(value)

    def param(self, name):
        return self.make("param", name)

    def leaf(self, name):
        """An input of the unit as it comes."""
        return self.make("leaf", name)

    def base(self, value, name):
        """A variable by which derivatives are taken, of the given value."""
        return self.make("base", value, name)

    @staticmethod
    def value_of(node):
        return node.args[0] if node.op == "const" else None

    def neg(self, a):
        if a.op == "const":
            return self.const(-a.args[0])
        if a.op == "neg":
            return a.args[0]
        if a.op == "mul" and a.args[0].op == "const":
            return self.mul(self.const(-a.args[0].args[0]), a.args[1])
        if a.op == "mul" and a.args[1].op == "const":
            return self.mul(self.const(-a.args[1].args[0]), a.args[0])
        return self.make("neg", a)

    def add(self, a, b):
        x, y = self.value_of(a), self.value_of(b)
        if x is not None and y is not None:
            return self.const(x + y)
        if x == 0:
            return b
        if y == 0:
            return a
        if a.op == "neg" and b.op == "neg":
            return self.neg(self.add(a.args[0], b.args[0]))
        if a.op == "neg" and a.args[0] is b or b.op == "neg" and b.args[0] is a:
            return self.const(0)
        if a is b:
            return self.mul(self.const(2), a)
        return self.make("add", a, b)

    @staticmethod
    def split(node):
        """(fixed factor or None, the rest)"""
        if node.op == "mul" and not node.fixed:
            if node.args[0].fixed:
                return node.args[0], node.args[1]
            if node.args[1].fixed:
                return node.args[1], node.args[0]
        return None, node

    def mul(self, a, b):
        x, y = self.value_of(a), self.value_of(b)
        if x is not None and y is not None:
            return self.const(x * y)
        if x == 0 or y == 0:
            return self.const(0)
        if x == 1:
            return b
        if y == 1:
            return a
        if x == -1:
            return self.neg(b)
        if y == -1:
            return self.neg(a)
        if a.op == "neg":
            return self.neg(self.mul(a.args[0], b))
        if b.op == "neg":
            return self.neg(self.mul(a, b.args[0]))
        merged = self.merge_powers(a, b)
        if merged is not None:
            return merged
        if a.fixed != b.fixed:  # k1 (k2 x)
            k, rest = (a, b) if a.fixed else (b, a)
            inner, core = self.split(rest)
            if inner is not None:
                return self.mul(self.mul(k, inner), core)
        elif not a.fixed:  # (k1 x) (k2 y)
            k, core = self.split(a)
            l, other = self.split(b)
            if k is not None and l is not None:
                return self.mul(self.mul(k, l), self.mul(core, other))
        return self.make("mul", a, b)

    @staticmethod
    def is_positive(node):
        """Is this a base that is never zero? Only of such are powers kept as powers."""
        return node.op == "base" and node.args[1].startswith(("rho", "opz", "omz"))

    def as_power(self, node):
        if node.op == "pow":
            return node.args[0], node.args[1]
        return (node, Fraction(1)) if self.is_positive(node) else None

    def merge_powers(self, a, b):
        p, q = self.as_power(a), self.as_power(b)
        if p and q and p[0] is q[0] and (p[1] != 1 or q[1] != 1):
            return self.power(p[0], p[1] + q[1])
        return None

    def rcp(self, a):
        if a.op == "const":
            return self.const(1 / a.args[0])
        if a.op == "neg":
            return self.neg(self.rcp(a.args[0]))
        if a.op == "pow":
            return self.power(a.args[0], -a.args[1])
        k, core = self.split(a)
        if k is not None:
            return self.mul(self.rcp(k), self.rcp(core))
        return self.make("rcp", a)

    def power(self, a, exponent):
        exponent = Fraction(exponent)
        if a.op == "const":
            if exponent.denominator == 1:
                return self.const(a.args[0] ** int(exponent))
            return self.const(root(a.args[0], exponent.denominator) ** exponent.numerator)
        if exponent == 0:
            return self.const(1)
        if exponent == 1:
            return a
        if a.op == "pow":
            return self.power(a.args[0], a.args[1] * exponent)
        if self.is_positive(a):
            return self.make("pow", a, exponent)
        if exponent < 0:
            return self.rcp(self.power(a, -exponent))
        whole, part = divmod(exponent, 1)
        result = self.const(1)
        square = a
        bits = int(whole)
        while bits:
            if bits & 1:
                result = self.mul(result, square)
            bits >>= 1
            square = self.mul(square, square) if bits else square
        if part == Fraction(1, 2):
            result = self.mul(result, self.sqrt(a))
        elif part == Fraction(1, 4):
            result = self.mul(result, self.sqrt(self.sqrt(a)))
        elif part.denominator == 3:  # a^(1/3) = a r^2, r = a^(-1/3)
            r = self.call("rcbrt", a)
            result = self.mul(result, self.mul(a, r * r if part == Fraction(1, 3) else r))
        elif part != 0:
            raise ValueError(f"no rule for the power {exponent}")
        return result

    def sqrt(self, a):
        if a.op == "const":
            return self.const(root(a.args[0], 2))
        if a.op == "pow" or self.is_positive(a):
            return self.power(a, Fraction(1, 2))
        k, core = self.split(a)
        if k is not None and k.op == "const" and k.args[0] > 0:
            return self.mul(self.sqrt(k), self.sqrt(core))
        return self.make("sqrt", a)

    def call(self, op, a):
        if a.op == "const":
            value = Decimal(a.args[0].numerator) / Decimal(a.args[0].denominator)
            if op == "rcbrt":
                return self.const(1 / root(a.args[0], 3))
            if op == "exp":
                return self.const(Fraction(value.exp()))
            if op == "log":
                return self.const(Fraction(value.ln()))
            raise ValueError(f"{op} of a constant")
        return self.make(op, a)

    def exp(self, a):
        return self.call("exp", a)

    def expm1(self, a):
        return self.call("expm1", a)

    def log(self, a):
        return self.call("log", a)

    def log1p(self, a):
        return self.call("log1p", a)

    def atan(self, a):
        return self.call("atan", a)

    def lambertw(self, a):
        """W, W exp W = a > 0."""
        return self.call("lambertw", a)

    def erfcx(self, a):
        """exp(a^2) erfc a, a >= 0."""
        return self.call("erfcx", a)

    def expint(self, a):
        """exp(a) E1(a), a > 0."""
        return self.call("expint", a)

    def expint4(self, a):
        """exp(a) E4(a), a >= 4."""
        return self.call("expint4", a)

    def expint72(self, a):
        """exp(a) E(7/2, a), a >= 4."""
        return self.call("expint72", a)

    def max(self, a, b):
        return self.make("max", self.lift(a), self.lift(b))

    def min(self, a, b):
        return self.make("min", self.lift(a), self.lift(b))

    def step_ge(self, a, b):
        """1 where a >= b, else 0."""
        return self.make("step_ge", self.lift(a), self.lift(b))

    def step_gt(self, a, b):
        return self.make("step_gt", self.lift(a), self.lift(b))

    def select(self, a, b, yes, no):
        """yes where a > b, else no; both must be finite everywhere."""
        yes, no = self.lift(yes), self.lift(no)
        return yes if yes is no else self.make("select", self.lift(a), self.lift(b), yes, no)

    def fms(self, a, b, c):
        """a b - c, rounded once whatever else uses the product: for differences that cancel."""
        return self.make("fms", self.lift(a), self.lift(b), self.lift(c))

    def state(self, node, derivatives):
        """State a node's derivatives: [(operand, derivative)] replaces the chain rule of its operation."""
        if not node.fixed:
            self.rules[node] = derivatives
        return node

    # ---- derivatives

    def local(self, node):
        """[(operand, derivative of the node by it)]"""
        if node in self.rules:
            return self.rules[node]
        a = node.args
        op = node.op
        one = self.const(1)
        if op in ("const", "param", "leaf", "base", "step_ge", "step_gt", "keep_ge", "keep_gt"):
            return []
        if op == "add":
            return [(a[0], one), (a[1], one)]
        if op == "neg":
            return [(a[0], self.const(-1))]
        if op == "mul":
            if a[0] is a[1]:
                return [(a[0], self.mul(self.const(2), a[0]))]
            return [(a[0], a[1]), (a[1], a[0])]
        if op == "fms":
            return [(a[0], a[1]), (a[1], a[0]), (a[2], self.const(-1))]
        if op == "rcp":
            return [(a[0], -(node * node))]
        if op == "sqrt":
            return [(a[0], Fraction(1, 2) * self.rcp(node))]
        if op == "rcbrt":
            square = node * node
            return [(a[0], Fraction(-1, 3) * (square * square))]
        if op == "log":
            return [(a[0], self.rcp(a[0]))]
        if op == "log1p":
            return [(a[0], self.rcp(a[0] + 1))]
        if op == "exp":
            return [(a[0], node)]
        if op == "expm1":
            return [(a[0], node + 1)]
        if op == "atan":
            return [(a[0], self.rcp(a[0] * a[0] + 1))]
        if op == "lambertw":
            return [(a[0], node * self.rcp(a[0] * (1 + node)))]
        if op == "erfcx":
            return [(a[0], 2 * (a[0] * node) - 2 / root(PI, 2))]
        if op == "expint":
            return [(a[0], node - self.rcp(a[0]))]
        if op in ("expint4", "expint72"):
            order = Fraction(3 if op == "expint4" else Fraction(5, 2))
            return [(a[0], node - self.rcp(a[0]) * (1 - order * node))]
        if op == "max":
            first = self.step_gt(a[0], a[1])
            return [(a[0], first), (a[1], 1 - first)]
        if op == "min":
            first = self.step_gt(a[1], a[0])
            return [(a[0], first), (a[1], 1 - first)]
        if op == "select":
            zero = self.const(0)
            return [(a[2], self.select(a[0], a[1], one, zero)), (a[3], self.select(a[0], a[1], zero, one))]
        raise ValueError(f"no derivative of {op}")

    def reach(self, node):
        """Nodes below `node`, along which derivatives go, the deepest first."""
        order, seen, stack = [], set(), [(node, False)]
        while stack:
            at, done = stack.pop()
            if done:
                order.append(at)
                continue
            if at in seen or at.fixed:
                continue
            seen.add(at)
            stack.append((at, True))
            if at.op == "pow":
                stack.append((at.args[0], False))
            for operand, _ in self.local(at) if at.op != "pow" else []:
                stack.append((operand, False))
        return order

    def gradient(self, node):
        """{base: (plain, logarithmic)}: the derivative by a base is plain + logarithmic / base. Powers of a
        base add to the second, which most uses multiply by the base again."""
        order = self.reach(node)
        bar = {node: self.const(1)}
        logarithmic = {}
        for at in reversed(order):
            weight = bar.get(at)
            if weight is None or self.value_of(weight) == 0:
                continue
            if at.op == "pow":
                base, exponent = at.args
                term = exponent * (weight * at)
                logarithmic[base] = logarithmic[base] + term if base in logarithmic else term
                continue
            if at.op == "select" and at not in self.rules:
                self.split_select(at, weight, bar)
                continue
            for operand, derivative in self.local(at):
                if operand.fixed:
                    continue
                term = weight * derivative
                bar[operand] = bar[operand] + term if operand in bar else term
        zero = self.const(0)
        bases = {n for n in order if n.op == "base"}
        return {b: (bar.get(b, zero), logarithmic.get(b, zero)) for b in bases}

    def split_select(self, at, weight, bar):
        zero = self.const(0)
        a, b, yes, no = at.args
        for operand, term in ((yes, self.select(a, b, weight, zero)), (no, self.select(a, b, zero, weight))):
            if not operand.fixed:
                bar[operand] = bar[operand] + term if operand in bar else term

    def select_mask(self, mask, weight):
        """weight where the mask is 1, else 0."""
        if mask.op == "step_ge":
            return self.make("keep_ge", mask.args[0], mask.args[1], weight)
        if mask.op == "step_gt":
            return self.make("keep_gt", mask.args[0], mask.args[1], weight)
        return mask * weight
