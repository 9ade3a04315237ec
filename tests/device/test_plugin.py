"""One build runs with and without CUDA: what is missing is named, and the CPU does its work."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True  # leave the source tree as it is
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from command import LIGAND, RECEPTOR, SMALL, TESELA, CommandTest

PLUGIN = "libtesela_cuda.so"
BUILD = os.path.dirname(TESELA)
PLUGINS = os.path.join(BUILD, "tests", "plugins")  # see tests/plugins
REAL = os.path.join(BUILD, PLUGIN)

# Libraries of CUDA, by the beginning of their names.
CUDA = re.compile(r"lib(cu|nv|nccl)")


def needed(path):
    """The libraries an executable or library names."""
    listed = subprocess.run(["readelf", "-d", path], stdout=subprocess.PIPE, text=True, check=True)
    return re.findall(r"\(NEEDED\).*\[(.*)\]", listed.stdout)


class CopyTest(CommandTest):
    """Runs a copy of the command, beside which there is no plug-in but what a test puts there."""

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("bin"))
        os.mkdir(self.path("plugins"))
        shutil.copy(TESELA, self.path("bin"))
        self.environment = {**os.environ, "TESELA_PLUGIN_PATH": self.path("plugins")}

    def run_command(self, *arguments):
        return subprocess.run([self.path("bin", "tesela"), *arguments], cwd=self.folder, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False, env=self.environment,
                              timeout=240)

    def put(self, source, *folder):
        """A plug-in into one of the test's folders."""
        os.makedirs(self.path(*folder), exist_ok=True)
        return shutil.copy(source, self.path(*folder, PLUGIN))

    def devices(self):
        """Names of the devices `tesela info` lists, its text, and why there are no others."""
        printed = self.run_command("info")
        self.assertEqual((printed.returncode, printed.stderr), (0, ""))
        report = self.run_command("info", "--json", "-")
        self.assertEqual((report.returncode, report.stderr), (0, ""))
        results = json.loads(report.stdout)["results"]
        return results["devices"], printed.stdout, results["no_cuda"]

    def assert_cpu_only(self, *words, docks=("auto",)):
        """The reason stands in info and in the error, and the CPU docks."""
        devices, printed, reason = self.devices()
        self.assertEqual([device["name"] for device in devices], ["cpu"])
        for word in words:
            self.assertIn(word, reason)
        self.assertIn(f"cuda       cannot be used: {reason}\n", printed)
        pair = ["dock", RECEPTOR, LIGAND, *SMALL, "--angle-step", "90", "--poses", "0"]
        self.assert_refused([*pair, "-o", "no", "--device", "cuda:0"], ["cuda:0", *words], status=3)
        self.assert_refused([*pair, "-o", "no", "--device", "cuda"], words, status=3)
        for device in docks:
            result = self.run_command(*pair, "-o", device, "--device", device)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual("device: cpu" in result.stderr, device == "auto")
            self.assertTrue(os.path.exists(self.path(device, "ftdock_global.dat")))


class Plugins(CopyTest):
    def test_none(self):
        self.assert_cpu_only(f"no plug-in {PLUGIN}", f"TESELA_PLUGIN_PATH ({self.path('plugins')})",
                             docks=("cpu", "auto"))

    def test_path_to_nowhere(self):
        self.environment["TESELA_PLUGIN_PATH"] = "/nowhere:" + self.path("neither")
        self.assert_cpu_only("no plug-in", "(/nowhere:", "neither)")

    def test_no_path(self):
        del self.environment["TESELA_PLUGIN_PATH"]
        self.assert_cpu_only("no plug-in", "TESELA_PLUGIN_PATH (not set)")

    def test_no_library_at_all(self):
        self.write(os.path.join("plugins", PLUGIN), "some text, long enough to be looked at " * 9)
        self.assert_cpu_only("cannot be opened", os.path.join("plugins", PLUGIN))

    def test_no_file(self):
        folder = tempfile.mkdtemp(prefix="tesela-cli-")  # beside the test's, whose files are read
        self.addCleanup(shutil.rmtree, folder)
        os.mkfifo(os.path.join(folder, PLUGIN))
        self.environment["TESELA_PLUGIN_PATH"] = folder
        self.assert_cpu_only(f"no plug-in {PLUGIN}")

    def test_not_one_of_ours(self):
        for variant in ("no-plugin", "other-build"):
            path = self.put(os.path.join(PLUGINS, variant, PLUGIN), "plugins")
            devices, _, reason = self.devices()
            self.assertEqual(len(devices), 1)
            self.assertIn(path, reason)
        self.assert_cpu_only("tesela 0.0.9-123456789abc", "build or install both together")

    def test_missing_library(self):
        self.put(os.path.join(PLUGINS, "missing-library", PLUGIN), "plugins")
        self.assert_cpu_only("cannot be opened", "libtest_plugin_gone.so")

    def test_no_card(self):
        self.put(os.path.join(PLUGINS, "no-card", PLUGIN), "plugins")
        self.assert_cpu_only("there is no NVIDIA GPU")

    def test_old_card(self):
        self.put(os.path.join(PLUGINS, "old-card", PLUGIN), "plugins")
        devices, _, reason = self.devices()
        self.assertEqual(len(devices), 1)
        self.assertIn("cuda:0: Tesla T4 has compute capability 7.5", reason)
        self.assert_refused(["dock", RECEPTOR, LIGAND, "-o", "no", "--device", "cuda:0"],
                            ["Tesla T4", "8.0 or newer"], status=3)

    def test_cards_are_listed(self):
        """Beside the command's folder, as it is installed: bin and lib."""
        self.put(os.path.join(PLUGINS, "cards", PLUGIN), "lib")
        devices, printed, reason = self.devices()
        self.assertIsNone(reason)
        self.assertEqual([device["name"] for device in devices], ["cpu", "cuda:0", "cuda:1"])
        self.assertEqual(devices[1], {
            "name": "cuda:0", "model": "Card", "threads": 7, "clock_mhz": 1980,
            "compute_capability": "9.0", "memory": 3 << 30, "memory_free": 1 << 30,
            "peers": [{"name": "cuda:1", "native_atomics": True}]})
        self.assertEqual(devices[2]["peers"], [{"name": "cuda:0", "native_atomics": False}])
        self.assertEqual(devices[0]["peers"], [])
        self.assertIn("  cuda:0     Card, 7 multiprocessors at up to 1980 MHz, compute capability 9.0,"
                      " 3.0 GiB, 1.0 GiB free\n"
                      "             direct access, with native atomics as over NVLink: cuda:1\n"
                      "  cuda:1     ", printed)
        self.assertIn("             direct access: cuda:0\n", printed)
        self.assert_refused(["dock", RECEPTOR, LIGAND, "-o", "no", "--device", "cuda:2"],
                            ["cuda:2", "there are only 2"], status=3)


class RealPlugin(CopyTest):
    """The plug-in of this build, on a machine without CUDA's libraries, driver or card."""

    def setUp(self):
        super().setUp()
        if not os.path.exists(REAL):
            self.skipTest("built without CUDA")

    def test_only_the_plugin_needs_cuda(self):
        library = os.path.join(BUILD, "libtesela.so")
        for path in (TESELA, library):
            self.assertEqual([name for name in needed(path) if CUDA.match(name)], [], path)
        self.assertTrue([name for name in needed(REAL) if CUDA.match(name)])
        self.assertNotIn("libcuda.so.1", needed(REAL), "the driver's library is opened when used")

    def test_benchmarks_find_it(self):
        program = os.path.join(BUILD, "bench", "spmv")
        if not os.path.exists(program):
            self.skipTest("built without benchmarks")
        del self.environment["TESELA_PLUGIN_PATH"]
        result = subprocess.run([program, "cuda:0", "8"], cwd=self.folder, env=self.environment,
                                text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, check=False, timeout=240)
        self.assertTrue(result.returncode == 0 or "there is no NVIDIA " in result.stderr,
                        result.stderr)

    def test_each_library_hidden(self):
        """The name of a library in a copy of the plug-in becomes one that is nowhere."""
        with open(REAL, "rb") as file:
            whole = file.read()
        for name in needed(REAL):
            if CUDA.match(name):
                hidden = "lib-gone-"[:len(name)].ljust(len(name), "x")
                there = f"\0{name}\0".encode("ascii")
                self.assertEqual(whole.count(there), 1, name)
                self.write(os.path.join("plugins", PLUGIN),
                           whole.replace(there, f"\0{hidden}\0".encode("ascii")))
                self.assert_cpu_only("cannot be opened", hidden, docks=("cpu", "auto"))
                shutil.rmtree(self.path("cpu"))
                shutil.rmtree(self.path("auto"))

    def test_no_driver_or_card(self):
        self.put(REAL, "plugins")
        self.environment["CUDA_VISIBLE_DEVICES"] = ""
        self.assert_cpu_only("there is no NVIDIA ")


if __name__ == "__main__":
    unittest.main()
