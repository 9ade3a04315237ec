"""What the tests of the command share: running it, and looking at what it wrote."""

import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

SOURCE = os.environ.get("TESELA_SOURCE") or os.path.abspath(
    os.path.join(os.path.dirname(__file__), "..", ".."))
TESELA = os.environ.get("TESELA") or os.path.join(SOURCE, "build", "cpu", "tesela")
RECEPTOR = os.path.join(SOURCE, "data", "trypsin.pdb")
LIGAND = os.path.join(SOURCE, "data", "bpti.pdb")

# What Fontconfig keeps for the process's life is no leak of ours.
os.environ.setdefault("LSAN_OPTIONS", "print_suppressions=0:suppressions="
                      + os.path.join(os.path.dirname(os.path.abspath(__file__)), "leaks.supp"))

# 600 rotations that take a fraction of a second: FTDock's score is the quickest, and cells this wide
# need a thicker surface. One thread, since tests run side by side.
SMALL = ["--grid", "48", "--score=ftdock", "--surface=2.5", "--angle-step", "30", "--device", "cpu",
         "--threads", "1"]
# The same for the score that ranks: few rotations.
SMALL_RANKED = ["--grid", "40", "--angle-step", "60", "--device", "cpu", "--threads", "1"]


def contents(folder):
    """All files below a folder but run.json: {path: bytes}."""
    files = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            with open(path, "rb") as file:
                files[os.path.relpath(path, folder)] = file.read()
    files.pop("run.json", None)
    return files


def rows(path):
    """Rows of a list in FTDock's form: [(rank, previous, score, es_ratio, shift, angles)]."""
    found = []
    with open(path, encoding="ascii") as file:
        for line in file:
            if line.startswith("G_DATA"):
                # whole angles stand in columns of four without blanks between
                words = line[:80].split()
                found.append((int(words[1]), int(words[2]), int(words[3]), float(words[4]),
                              tuple(int(word) for word in words[5:8]), line.rstrip()[-12:]))
    return found


def run(folder, *arguments, **options):
    """Run tesela in a folder."""
    options.setdefault("timeout", 240)
    return subprocess.run([TESELA, *arguments], cwd=folder, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, **options)


def gpus():
    """The GPUs that can be used: ["cuda:0", ...]."""
    result = run(SOURCE, "info", "--json", "-")
    devices = json.loads(result.stdout)["results"]["devices"]
    return [device["name"] for device in devices if device["name"].startswith("cuda:")]


def has_library(name):
    """Does the build have an optional library?"""
    report = json.loads(run(".", "info", "--json", "-").stdout)
    return any(library["name"] == name and library["version"] is not None
               for library in report["results"]["libraries"])


class CommandTest(unittest.TestCase):
    """Each test runs in a folder of its own."""

    small = SMALL  # the options of dock() and start()

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tesela-cli-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, data):
        """Make a file in the test's folder; returns its path."""
        with open(self.path(name), "wb" if isinstance(data, bytes) else "w") as file:
            file.write(data)
        return self.path(name)

    def read_json(self, *names):
        with open(self.path(*names), encoding="utf-8") as file:
            return json.load(file)

    def run_command(self, *arguments):
        """Run tesela in the test's folder."""
        return run(self.folder, *arguments)

    def dock(self, folder, *arguments, small=True, status=0):
        """Dock the two molecules of data/ into a folder; returns what was printed."""
        result = self.run_command("dock", RECEPTOR, LIGAND, "-o", folder,
                                  *(self.small if small else []), *arguments)
        self.assertEqual(result.returncode, status, result.stderr)
        return result

    def assert_refused(self, arguments, words, status=2):
        """The command says why in one line that holds all of `words`, and writes nothing."""
        before = contents(self.folder), sorted(os.listdir(self.folder))
        result = self.run_command(*arguments)
        told = f"{arguments}: exit status {result.returncode}\n{result.stderr}"
        self.assertEqual(result.returncode, status, told)
        self.assertEqual(result.stdout, "", told)
        lines = result.stderr.splitlines()  # notes may come before it
        self.assertTrue(all(line.startswith("tesela: ") for line in lines), told)
        self.assertEqual([line.startswith("tesela: error: ") for line in lines],
                         [False] * (len(lines) - 1) + [True], told)
        for word in words:
            self.assertIn(word, lines[-1], told)
        self.assertEqual((contents(self.folder), sorted(os.listdir(self.folder))), before, told)


SEED = int(os.environ.get("TESELA_TEST_SEED", time.time_ns() % 1000000))


class ReferenceTest(CommandTest):
    """Tests that compare with one undisturbed run: its files are `reference`, it took `duration`
    seconds."""

    def start(self, folder, *arguments):
        """Begin the same run into a folder."""
        command = [TESELA, "dock", RECEPTOR, LIGAND, "-o", folder, *self.small, *arguments]
        return subprocess.Popen(command, cwd=self.folder, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def kill_at_random_moments(self, option, values, batches, kills, longest):
        """Kill and resume runs with an option's value and a batch taken at random, until `kills`
        have been killed, each within `longest` durations of the reference, and one has completed:
        those that complete have the reference's files."""
        chance = random.Random(SEED)
        completed = 0
        while kills > 0 or completed == 0:
            process = self.start("killed", "--resume", option, chance.choice(values), "--batch",
                                 chance.choice(batches))
            try:
                _, errors = process.communicate(timeout=chance.uniform(0, longest * self.duration)
                                                if kills > 0 else None)
            except subprocess.TimeoutExpired:
                process.kill()
                _, errors = process.communicate()
            if process.returncode == -signal.SIGKILL:
                kills -= 1
                continue
            self.assertEqual(process.returncode, 0, errors)
            self.assert_same("killed", f"TESELA_TEST_SEED={SEED}")
            completed += 1
            shutil.rmtree(self.path("killed"))

    @classmethod
    def setUpClass(cls):
        folder = tempfile.mkdtemp(prefix="tesela-cli-")
        cls.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
        begun = time.monotonic()
        result = run(folder, "dock", RECEPTOR, LIGAND, "-o", "reference", *cls.small)
        cls.duration = time.monotonic() - begun
        cls.reference_folder = os.path.join(folder, "reference")
        cls.reference = contents(cls.reference_folder)
        if result.returncode != 0:
            raise RuntimeError(result.stderr)

    def assert_same(self, folder, told=""):
        """A folder of results holds the reference's files, byte by byte."""
        found = contents(self.path(folder))
        self.assertEqual(sorted(found), sorted(self.reference), told)
        for name, data in found.items():
            self.assertTrue(data == self.reference[name], f"{name} differs: {told}")
