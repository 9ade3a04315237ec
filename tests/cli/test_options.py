# ctest: cost 15, full with sanitizers
"""Every option of every command: what --help says, the library's defaults, which values are accepted and which are
refused, which task takes it, and what shells complete. `tesela completion json` prints the rows."""

import json
import math
import os
import re
import shutil
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True  # leave the source tree as it is
from command import SOURCE, TESELA, CommandTest, run

OF_ARGP = {"help", "usage", "version"}
NUMBERS = ("integer", "real", "bytes")


def commands():
    return json.loads(run(".", "completion", "json").stdout)["commands"]


def words_of(command):
    return command["name"].split()[1:]


def spelled(option):
    return f"--{option['name']}" if option["name"] else f"-{option['letter']}"


def plain(text):
    return " ".join(text.split())


def number(value, kind):
    return repr(value) if kind == "real" else str(int(value))


def inside(option):
    """The least and the greatest that are accepted."""
    kind, low, high = option["kind"], option["low"], option["high"]
    found = [] if low is None else [low if not option["above"] else low + max(1e-9 * abs(low), 1e-300)]
    found += [] if high is None else [high]
    return [number(value, kind) for value in found]


def outside(option):
    """The nearest to these that are refused."""
    kind, low, high = option["kind"], option["low"], option["high"]
    step = 1 if kind != "real" else 0
    found = []
    if low is not None:
        below = math.nextafter(low, -math.inf) if low != 0 else -1e-300
        found.append(low if option["above"] else low - step if step else below)
    if high is not None:
        found.append(high + step if step else math.nextafter(high, math.inf))
    return [number(value, kind) for value in found]


def is_ranged(option):
    return option["kind"] in NUMBERS and (option["low"] is not None or option["high"] is not None)


class Options(CommandTest):
    @classmethod
    def setUpClass(cls):
        cls.commands = commands()
        cls.leaves = [command for command in cls.commands if not command["children"]]

    def said(self, arguments):
        result = self.run_command(*arguments)
        self.assertEqual((result.returncode, result.stdout), (2, ""), f"{arguments}: {result.stderr}")
        return result.stderr

    def test_names(self):
        """Each once in a command, and none is argp's."""
        for command in self.leaves:
            if not command["options"]:
                continue
            names = [option["name"] for option in command["options"] if option["name"]]
            letters = [option["letter"] for option in command["options"] if option["letter"]]
            for found in (names, letters):
                self.assertEqual(len(found), len(set(found)), command["name"])
            self.assertFalse(OF_ARGP & set(names), command["name"])
            self.assertLess(len(command["options"]), 50, "CLI_MOST_ROWS is 64, headings among them")
            self.assertLess(max(len(option["help"]) for option in command["options"]), 1000, "CLI_HELP is 1024")
            self.assertFalse({"h", "V", "?"} & set(letters), command["name"])

    def test_help(self):
        """It has the options of the rows and no others, each with its range and its default."""
        for command in self.leaves:
            printed = run(".", *words_of(command), "--help").stdout
            flat = plain(printed)
            names = set(re.findall(r"^ +(?:-\w, )?--([a-z-]+)", printed, re.M))
            names |= set(re.findall(r"^ +-\w, --([a-z-]+)", printed, re.M))
            self.assertEqual(names - OF_ARGP, {option["name"] for option in command["options"] if option["name"]},
                             command["name"])
            for option in command["options"]:
                told = f"{command['name']} {spelled(option)}: {option['help']}"
                self.assertIn(plain(option["help"]), flat, told)
                if option["default"] is not None:
                    self.assertTrue(option["help"].endswith(f"({option['default']})"), told)
                if is_ranged(option) and option["kind"] != "bytes" and option["high"] not in (None, 2**31 - 1):
                    high = re.sub(r"e\+?(-?)0*", r"e\1", f"{option['high']:g}") \
                        if option["kind"] == "real" else str(int(option["high"]))
                    self.assertIn(high, option["help"], told)
                if option["kind"] == "choice":
                    for word in option["words"]:
                        self.assertIn(word, option["help"], told)

    def test_headings_have_options(self):
        for command in self.leaves:
            printed = run(".", *words_of(command), "--help").stdout
            self.assertIsNone(re.search(r"^ [A-Z][^\n]*:\n(?! +-)", printed, re.M), command["name"])

    def test_defaults_are_the_librarys(self):
        program = os.path.join(os.environ.get("TESELA_TESTS", ""), "library_defaults")
        if not os.path.exists(program):
            self.skipTest(f"there is no {program}")
        printed = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True).stdout
        rows = {(command["name"][len("tesela "):], option["name"]): option
                for command in self.leaves for option in command["options"]}
        lines = printed.splitlines()
        self.assertGreater(len(lines), 25)
        for line in lines:
            command, name, value = line.split("\t")
            option = rows[command, name]
            found = option["default"]
            self.assertIsNotNone(found, line)
            if option["rule"]:  # in words, which name the library's first
                found = re.split(r"[;, ]", found)[0]
            same = float(found) == float(value) if option["kind"] in NUMBERS else found == value
            self.assertTrue(same, f"{line}: the command has {found}")

    def test_defaults_are_accepted(self):
        """A number that is the default, and not said in words, is one that may be given."""
        for command in self.leaves:
            for option in command["options"]:
                if is_ranged(option) and option["default"] is not None and not option["rule"] and \
                        re.fullmatch(r"[-+.e0-9]+", option["default"]):
                    value = float(option["default"])
                    self.assertTrue((option["low"] is None or value >= option["low"]) and
                                    (option["high"] is None or value <= option["high"]),
                                    f"{command['name']} {spelled(option)}: {value}")

    def test_values_inside_are_accepted(self):
        """All of a command on one line: what is refused is the last, which is wrong."""
        tried = 0
        for command in self.leaves:
            last = next((option for option in command["options"] if is_ranged(option)), None)
            if last is None:
                continue
            line = []
            for option in command["options"]:
                values = inside(option) if is_ranged(option) else \
                    option["words"] if option["kind"] == "choice" else []
                for value in values:
                    line += [spelled(option), value]
            tried += len(line) // 2
            self.assertIn(f"{spelled(last)} 'x'", self.said([*words_of(command), *line, spelled(last), "x"]),
                          command["name"])
        self.assertGreater(tried, 200)

    def test_values_outside_are_refused(self):
        seen = set()
        for command in self.leaves:
            for option in command["options"]:
                values = outside(option) if is_ranged(option) else \
                    [option["words"][0] + "x", ""] if option["kind"] == "choice" else []
                for value in values:
                    one = (spelled(option), value, option["help"])
                    if one not in seen:
                        seen.add(one)
                        self.assertIn(f"{spelled(option)} '{value}'",
                                      self.said([*words_of(command), spelled(option), value]), command["name"])
        self.assertGreater(len(seen), 100)

    def test_flags_take_no_value(self):
        seen = set()
        for command in self.leaves:
            for option in command["options"]:
                if option["kind"] == "flag" and option["name"] not in seen:
                    seen.add(option["name"])
                    self.assertIn("takes no value", self.said([*words_of(command), f"{spelled(option)}=1"]))

    def test_tasks(self):
        """An option that a task does not take is refused with the names of those that do."""
        for command in self.leaves:
            for task in command["tasks"]:
                for option in command["options"]:
                    if task in option["tasks"] or option["kind"] == "list":
                        continue
                    value = [] if option["kind"] == "flag" else \
                        [option["words"][0] if option["words"] else (inside(option) or ["x"])[0]]
                    line = [*words_of(command), *([task] if task else []), spelled(option), *value]
                    self.assertRegex(self.said(line), f"{spelled(option)} goes with .* only, not with ")


class Sources(unittest.TestCase):
    def test_names_are_spelled_in_rows(self):
        """A command's sources make no table for argp, and what messages and examples call an option is one."""
        every = {option["name"] for command in commands() for option in command["options"] if option["name"]}
        every |= OF_ARGP
        for top, _, names in os.walk(os.path.join(SOURCE, "src", "cli")):
            for name in names:
                with open(os.path.join(top, name), encoding="utf-8") as file:
                    text = file.read()
                if os.path.basename(top) != "shared":
                    self.assertNotIn("argp_option", text, name)
                if os.path.basename(top) == "completion":
                    continue  # has options of shells
                for literal in re.findall(r'"(?:[^"\\\n]|\\.)*"', re.sub(r"/\*.*?\*/", "", text, flags=re.S)):
                    for option in re.findall(r"(?<![\w-])--([a-z][a-z-]*[a-z])", literal):
                        if "srun" not in literal and "nvcc" not in literal:
                            self.assertIn(option, every, f"{name}: {literal}")


class Shells(CommandTest):
    def complete(self, *words):
        """What bash offers for the last word."""
        script = self.write("tesela.bash", run(".", "completion", "bash").stdout)
        call = (f"source {script}; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _tesela; "
                'printf "%s\\n" "${COMPREPLY[@]}"')
        result = subprocess.run(["bash", "-c", call, "-", "tesela", *words], cwd=self.folder, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return set(result.stdout.split())

    @unittest.skipUnless(shutil.which("bash"), "there is no bash")
    def test_bash(self):
        self.write("one.npy", "")
        os.mkdir(self.path("results"))
        self.assertLessEqual({"dock", "solve", "pairs", "completion"}, self.complete(""))
        self.assertEqual(self.complete("tr"), {"transpose"})
        self.assertEqual(self.complete("npb", "ladder", ""), {"ep", "cg"})
        self.assertEqual(self.complete("pairs", "distance", "--me"), {"--metric"})
        self.assertEqual(self.complete("pairs", "distance", "--metric", "ci"), {"cityblock"})
        self.assertEqual(self.complete("solve", "-p", "i"), {"ic0", "ilu0"})
        self.assertEqual(self.complete("solve", "--preconditioner", "=", "i"), {"ic0", "ilu0"})
        self.assertEqual(self.complete("solve", "--smoother", "="), {"jacobi", "chebyshev"})
        self.assertEqual(self.complete("poisson", "ben"), {"bench"})
        self.assertEqual(self.complete("poisson", "on"), {"one.npy"})
        self.assertEqual(self.complete("poisson", "bench", "--json", "o"), {"one.npy"})
        self.assertEqual(self.complete("dock", "-o", ""), {"results"})
        self.assertEqual(self.complete("dock", "--keep", ""), set())
        self.assertNotIn("--output", self.complete("xc", "list", "--"))

    @unittest.skipUnless(shutil.which("zsh"), "there is no zsh")
    def test_zsh(self):
        """What its functions hand over to those of zsh."""
        script = self.write("_tesela", run(".", "completion", "zsh").stdout)
        call = ("compdef() { }; _describe() { print -l $commands; }; _arguments() { print -l -- \"$@\"; };"
                f"source {script}; words=(\"$@\"); CURRENT=$#; _tesela")

        def lines(*words):
            result = subprocess.run(["zsh", "-f", "-c", call, "-", "tesela", *words], cwd=self.folder, text=True,
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            return result.stdout.splitlines()

        self.assertTrue(any(line.startswith("pairs:") for line in lines("")))
        self.assertTrue(any(line.startswith("histogram:") for line in lines("pairs", "")))
        for command in commands():
            if not command["children"]:
                found = "\n".join(lines(*words_of(command), ""))
                for option in command["options"]:
                    self.assertIn(spelled(option), found, command["name"])
        found = lines("solve", "")
        self.assertTrue(any(line.startswith("--smoother=[") and line.endswith(":NAME:(jacobi chebyshev)")
                            for line in found), found)

    def test_asked_for_something_else(self):
        self.assert_refused(["completion"], ["bash, zsh or json"])
        self.assert_refused(["completion", "fish"], ["'fish'", "bash, zsh or json"])


if __name__ == "__main__":
    unittest.main()
