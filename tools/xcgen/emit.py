"""From a graph to C: powers become products, sums of products fused multiply-adds, what depends on parameters
alone moves to a function that is run once a plan."""

from decimal import Decimal
from fractions import Fraction

SIXTH = Fraction(1, 6)


def literal(value):
    """A constant as decimal text of 40 digits, of type XC_K."""
    if value.denominator == 1 and abs(value) < 10 ** 15:
        text = f"{int(value)}.0"
    else:
        exact = Fraction(value)
        number = Decimal(exact.numerator) / Decimal(exact.denominator)
        short = repr(float(exact))
        text = short if Fraction(short) == exact else f"{number:.40g}".lower()
        if "." not in text and "e" not in text:
            text += ".0"
    return f"XC_K({text})"


class Lowering:
    """Rewrites bases as their values and powers as products."""

    def __init__(self, graph, roots):
        self.graph = graph
        self.done = {}
        wanted = {}
        for node in self.live(roots):
            if node.op == "pow":
                wanted.setdefault(node.args[0], set()).add(node.args[1])
        self.powers = {base: self.plan(base, exponents) for base, exponents in wanted.items()}

    @staticmethod
    def live(roots):
        seen, stack, order = set(), [(r, False) for r in reversed(roots)], []
        while stack:
            node, done = stack.pop()
            if done:
                order.append(node)
                continue
            if node in seen:
                continue
            seen.add(node)
            stack.append((node, True))
            for a in reversed(node.args):
                if hasattr(a, "op"):
                    stack.append((a, False))
        return order

    def plan(self, base, exponents):
        """How each exponent is had: {exponent: (a, b)}, its product of powers a and b, or None."""
        steps = {Fraction(1): None}
        if any(e.denominator % 3 == 0 for e in exponents):
            steps[Fraction(-1, 3)] = None
        if any(e.denominator % 2 == 0 for e in exponents):
            steps[Fraction(-1, 6) if Fraction(-1, 3) in steps else Fraction(1, 2)] = None
        if any(e < 0 for e in exponents) and Fraction(-1, 3) not in steps:
            steps[Fraction(-1)] = None
        for e in sorted(exponents, key=lambda e: (abs(e), e)):
            self.reach(steps, e)
        return steps

    @staticmethod
    def reach(steps, e):
        if e in steps:
            return
        for a in list(steps):
            if e - a in steps:
                steps[e] = (a, e - a)
                return
        candidates = sorted((k * SIXTH for k in range(-60, 61)), key=abs)
        for middle in candidates:
            if middle in steps or middle == 0:
                continue
            for a in list(steps):
                if middle - a in steps and (e - middle in steps or e == 2 * middle):
                    steps[middle] = (a, middle - a)
                    steps[e] = (middle, e - middle)
                    return
        half = min((e - a for a in steps), key=lambda r: (abs(r), r))
        Lowering.reach(steps, half)
        Lowering.reach(steps, e)

    def lower(self, root):
        for node in self.live([root]):
            if node not in self.done:
                self.done[node] = self.one(node)
        return self.done[root]

    def one(self, node):
        g = self.graph
        if node.op in ("const", "param", "leaf"):
            return node
        if node.op == "base":
            return self.done[node.args[0]]
        if node.op == "pow":
            return self.power(node.args[0], node.args[1])
        return g.make(node.op, *[self.done[a] if hasattr(a, "op") else a for a in node.args])

    def power(self, base, e):
        g = self.graph
        key = (base, e)
        if key in self.done:
            return self.done[key]
        value = self.done[base]
        step = self.powers[base][e]
        if step is not None:
            out = g.make("mul", self.power(base, step[0]), self.power(base, step[1]))
        elif e == 1:
            out = value
        elif e == Fraction(-1, 3):
            out = g.make("rcbrt", value)
        elif e == Fraction(-1, 6):
            out = g.make("sqrt", self.power(base, Fraction(-1, 3)))
        elif e == Fraction(1, 2):
            out = g.make("sqrt", value)
        else:
            out = g.make("rcp", value)
        self.done[key] = out
        return out


class Slots:
    """Constants of a plan: what depends on parameters alone, the same places for all bodies of a unit."""

    def __init__(self):
        self.places = {}  # text of the expression -> place
        self.lines = []
        self.parameters = []
        self.temporaries = {}

    def parameter(self, name):
        if name not in self.parameters:
            self.parameters.append(name)
        return self.parameters.index(name)

    def text(self, node):
        """The expression in terms of p[], as C of scalar functions."""
        a = node.args
        if node.op == "const":
            return literal(a[0])
        if node.op == "param":
            return f"p[{self.parameter(a[0])}]"
        if node.op == "pow":
            return f"s_pow({self.text(a[0])}, {literal(a[1])})"
        if node.op == "add":
            return f"({self.text(a[0])} + {self.text(a[1])})"
        if node.op == "mul":
            return f"({self.text(a[0])} * {self.text(a[1])})"
        if node.op == "neg":
            return f"-{self.text(a[0])}"
        if node.op == "rcp":
            return f"(1 / {self.text(a[0])})"
        return f"s_{node.op}({', '.join(self.text(x) for x in a)})"

    def place(self, node):
        text = self.text(node)
        if text not in self.places:
            self.places[text] = len(self.places)
        return self.places[text]


# Floating-point instructions of an operation on a GPU, where it is more than one.
COSTS = {"rcp": 4, "sqrt": 9, "rcbrt": 17, "log": 18, "log1p": 24, "exp": 21, "expm1": 21, "atan": 30,
         "lambertw": 160, "erfcx": 40, "expint": 120, "expint4": 36, "expint72": 36}


class Body:
    """The lines of one function."""

    def __init__(self, slots, inputs):
        self.slots = slots
        self.inputs = inputs
        self.lines = []
        self.names = {}
        self.operations = 0
        self.instructions = 0

    def operand(self, node):
        if node.op == "const":
            return f"x_k({literal(node.args[0])})"
        if node.fixed:
            return f"x_c(c[{self.slots.place(node)}])"
        if node.op == "leaf":
            return f"in[{self.inputs.index(node.args[0])}]"
        return self.names[node]

    def emit(self, outputs, milestones):
        wanted = set(Lowering.live(outputs))
        before = [n for n in milestones if n in wanted]
        order = [n for n in Lowering.live(before + outputs) if not n.fixed and n.op != "leaf"]
        uses = {}
        for n in order:
            for a in n.args:
                if hasattr(a, "op"):
                    uses[a] = uses.get(a, 0) + 1
        for n in outputs:
            uses[n] = uses.get(n, 0) + 1
        plan, absorbed = {}, set()
        for n in order:
            if n.op == "add":
                plan[n] = self.fuse(n, uses, absorbed)
        for n in order:  # a negation that nothing needs any more
            if n.op == "neg" and n not in absorbed and uses.get(n, 0) == 0:
                absorbed.add(n)
        for n in order:
            if n in absorbed:
                continue
            name = f"t{len(self.names)}"
            text = plan.get(n) or (n.op, list(n.args))
            line = self.call(*text)
            self.names[n] = name
            self.lines.append(f"    const XC_V {name} = {line};")
            self.operations += 1
            self.instructions += COSTS.get(text[0], 1)
        for i, n in enumerate(outputs):
            self.lines.append(f"    out[{i}] = {self.operand(n)};")

    @staticmethod
    def fuse(n, uses, absorbed):
        """(operation, operands) of a sum; products and negations used only here are absorbed."""
        for a, b in (n.args, n.args[::-1]):
            if a.op == "mul" and uses[a] == 1 and not a.fixed:
                absorbed.add(a)
                if b.op == "neg" and uses[b] == 1 and not b.fixed:
                    absorbed.add(b)
                    return "fms", [a.args[0], a.args[1], b.args[0]]
                return "fma", [a.args[0], a.args[1], b]
            if a.op == "neg" and not a.fixed and a.args[0].op == "mul" and uses[a] == 1 and uses[a.args[0]] == 1:
                absorbed.add(a)
                absorbed.add(a.args[0])
                return "fnma", [a.args[0].args[0], a.args[0].args[1], b]
        for a, b in (n.args, n.args[::-1]):
            if a.op == "neg" and not a.fixed and uses[a] == 1:
                absorbed.add(a)
                return "sub", [b, a.args[0]]
        return "add", list(n.args)

    def call(self, op, args):
        return f"x_{op}({', '.join(self.operand(a) for a in args)})"


def body(unit, slots, order):
    """(lines, operations, instructions, names of outputs) of a unit's function of one order."""
    named = unit.outputs(order)
    roots = [node for _, node in named]
    lowering = Lowering(unit.graph, roots + unit.milestones)
    milestones = [lowering.lower(r) for r in unit.milestones]
    lowered = [lowering.lower(r) for r in roots]
    out = Body(slots, unit.names)
    out.emit(lowered, milestones)
    return out.lines, out.operations, out.instructions, [name for name, _ in named]
