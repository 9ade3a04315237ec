"""What run-demo builds, in which order it runs, and how it finds out about GPUs."""

import json
import os
import shutil
import stat
import subprocess
import tempfile
import unittest

SOURCE = os.environ.get("TESELA_SOURCE") or os.path.abspath(
    os.path.join(os.path.dirname(__file__), "..", ".."))

# In place of cmake: keeps its arguments, and "builds" a command that keeps its own.
CMAKE = """#!/bin/sh
echo "cmake $*" >>"$CALLS"
case $1 in
--preset)
    mkdir -p build/demo
    touch build/demo/CMakeCache.txt ;;
--build)
    cp fake-tesela build/demo/tesela
    case $* in
    *tesela_cuda*) exit "$GPU_BUILD" ;;
    esac ;;
esac
"""
COMMAND = """#!/bin/sh
echo "tesela $*" >>"$CALLS"
[ "$1" != dock ] || for folder; do :; done
[ "$1" != dock ] || { mkdir -p "$folder/poses"; echo poses >"$folder/ftdock_global.dat"; }
[ "$1" != dock ] || printf 'ATOM A\nTER\nATOM B\nEND\n' >"$folder/poses/complex.0001.pdb"
"""

# In place of NVIDIA's driver: as many GPUs as FAKE_GPUS names, "9.0 8.0".
DRIVER = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int cuInit(unsigned flags) { return flags == 0 && getenv("FAKE_GPUS") ? 0 : 100; }
int cuDeviceGetCount(int *count)
{
    *count = (int)(strlen(getenv("FAKE_GPUS")) + 1) / 4;
    return 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    *value = getenv("FAKE_GPUS")[4 * device + (attribute == 75 ? 0 : 2)] - '0';
    return attribute == 75 || attribute == 76 ? 0 : 1;
}
"""


def make(path, text):
    """Write a program."""
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)


class Scratch(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tesela-demo-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, *names):
        return os.path.join(self.folder, *names)


class Preset(Scratch):
    def test_builds_the_command_and_nothing_else(self):
        build = self.path("build")
        configured = subprocess.run(["cmake", "--preset", "demo", "-B", build], cwd=SOURCE, text=True,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        self.assertEqual(configured.returncode, 0, configured.stdout)
        with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
            units = [unit["file"] for unit in json.load(file)]
        # Some files are generated into the build folder.
        generated = os.path.join(os.path.realpath(build), "")
        compiled = [os.path.relpath(name, SOURCE) for name in units
                    if not os.path.realpath(name).startswith(generated)]
        self.assertIn("src/cli/main.c", compiled)
        self.assertEqual([name for name in compiled if not name.startswith("src/")], [])
        self.assertEqual([name for name in compiled if name.endswith(".cu") or "/mpi" in name], [])
        self.assertEqual(len(compiled), len(set(compiled)), "something is compiled twice")
        with open(os.path.join(SOURCE, "CMakePresets.json"), encoding="utf-8") as file:
            presets = {preset["name"]: preset for preset in json.load(file)["buildPresets"]}
        self.assertEqual(presets["demo"]["targets"], ["tesela"])


class Architectures(Scratch):
    """tools/cuda-architectures with a driver made up for it."""

    def setUp(self):
        super().setUp()
        if shutil.which("cc") is None:
            self.skipTest("needs cc")
        with open(self.path("driver.c"), "w", encoding="ascii") as file:
            file.write(DRIVER)
        os.makedirs(self.path("library"))
        subprocess.run(["cc", "-shared", "-fPIC", "-o", self.path("library", "libcuda.so.1"),
                        self.path("driver.c")], check=True)
        os.makedirs(self.path("bin"))
        os.symlink(shutil.which("python3"), self.path("bin", "python3"))

    def ask(self, **environment):
        done = subprocess.run([os.path.join(SOURCE, "tools", "cuda-architectures")], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                              env={"PATH": self.path("bin") + ":/bin",
                                   "LD_LIBRARY_PATH": self.path("library"), **environment})
        return done.returncode, done.stdout, done.stderr

    def test_each_kind_of_card_once(self):
        self.assertEqual(self.ask(FAKE_GPUS="9.0"), (0, "90\n", ""))
        self.assertEqual(self.ask(FAKE_GPUS="9.0 8.6 9.0"), (0, "86;90\n", ""))

    def test_nvidia_smi_where_the_library_does_not_answer(self):
        make(self.path("bin", "nvidia-smi"), "#!/bin/sh\necho 12.0\necho 12.0\n")
        self.assertEqual(self.ask(), (0, "120\n", ""))

    def test_no_driver_answers(self):
        make(self.path("bin", "nvidia-smi"),
             "#!/bin/sh\necho NVIDIA-SMI has failed because it could not communicate\nexit 9\n")
        status, printed, reason = self.ask()
        self.assertEqual((status, printed), (1, ""))
        self.assertEqual(reason, "no GPU: the driver answers with error 100; nvidia-smi names no GPU\n")


class Order(Scratch):
    """run-demo, with programs made up in place of those that it calls."""

    def run_demo(self, gpus, gpu_build=0, **environment):
        """The calls that it makes, and what it prints; it ends as the build of GPU code does."""
        os.makedirs(self.path("tools"))
        os.makedirs(self.path("bin"))
        os.makedirs(self.path("examples"))
        shutil.copy(os.path.join(SOURCE, "run-demo"), self.path("run-demo"))
        make(self.path("tools", "setup"), '#!/bin/sh\necho "setup $*" >>"$CALLS"\n')
        make(self.path("tools", "cuda-architectures"),
             f"#!/bin/sh\necho {gpus}\n" if gpus else "#!/bin/sh\necho no GPU: none >&2\nexit 1\n")
        make(self.path("examples", "water_cube.py"), "print('a cube')\n")
        make(self.path("examples", "enhancement_factors.py"), "import sys\nprint(' '.join(sys.argv[2:]))\n")
        make(self.path("fake-tesela"), COMMAND)
        make(self.path("bin", "cmake"), CMAKE)
        make(self.path("bin", "nvcc"), "#!/bin/sh\nexit 1\n")
        done = subprocess.run(["bash", self.path("run-demo")], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False,
                              env={"PATH": self.path("bin") + ":" + os.environ["PATH"],
                                   "CALLS": self.path("calls"), "LC_ALL": "C",
                                   "GPU_BUILD": str(gpu_build), **environment})
        self.assertEqual(done.returncode, gpu_build, done.stdout)
        with open(self.path("calls"), encoding="utf-8") as file:
            return file.read().splitlines(), done.stdout

    def test_without_a_driver_nothing_is_built_for_gpus(self):
        calls, printed = self.run_demo(None)
        self.assertEqual(calls[0], "setup --demo")
        self.assertRegex(calls[1], "^cmake --preset demo")
        self.assertRegex(calls[2], "^cmake --build --preset demo --target tesela ")
        self.assertEqual(calls[3], "tesela npb ep --class S")  # the first result is there at once
        self.assertRegex(calls[-5], "^tesela dock .* --device cpu -o demo$")
        self.assertRegex(calls[-3], "^tesela pairs contacts .* -o demo/contacts.csv$")
        self.assertRegex(calls[-1], "^tesela pairs distance .* -o demo/distances.npy$")
        for name, atom in (("receptor", "ATOM A\n"), ("ligand", "ATOM B\n")):
            with open(self.path("demo", f"best_{name}.pdb"), encoding="ascii") as file:
                self.assertIn(atom, file.read())
        self.assertEqual([call for call in calls if "CUDA" in call or "tesela_cuda" in call], [])
        self.assertEqual(sum(call.startswith("cmake") for call in calls), 2)
        self.assertIn("GPU code left out: no GPU: none", printed)

    def test_with_a_card_but_no_compiler_for_it(self):
        calls, printed = self.run_demo("90", CUDACXX=self.path("no-nvcc"))
        self.assertEqual([call for call in calls if "CUDA" in call or "tesela_cuda" in call], [])
        self.assertIn("GPU code left out: there is a GPU, but nvcc is not on PATH", printed)
        self.assertIn("all after ", printed)

    def test_each_step_is_timed(self):
        _, printed = self.run_demo(None)
        for name in ("packages", "command built", "docking", "EP", "CG", "heat of a plate", "potential of water",
                     "energy of water", "contacts", "distances of atoms"):
            # once when it ends, once in the table
            self.assertEqual(len([line for line in printed.splitlines() if line.endswith(f" s  {name}")]), 2, name)
        self.assertRegex(printed, r"The first result was there after \d+\.\d s, all after \d+\.\d s\.")

    def test_with_a_card_its_code_is_built_last_and_for_it_alone(self):
        calls, printed = self.run_demo("90")
        at = next(number for number, call in enumerate(calls) if "CUDA" in call)
        self.assertRegex(calls[at], "-DTSL_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=90$")
        self.assertRegex(calls[at + 1], "^cmake --build --preset demo --target tesela_cuda ")
        self.assertRegex(calls[at + 2], "^tesela dock .* --device cuda:0 -o demo/gpu$")
        self.assertTrue(any(call.startswith("tesela poisson") for call in calls[:at]))
        self.assertEqual(len(calls), at + 3)
        self.assertIn("the same poses, byte for byte", printed)

    def test_results_of_the_cpu_are_told_where_gpu_code_fails(self):
        calls, printed = self.run_demo("90", gpu_build=5)
        self.assertFalse(any("--device cuda:0" in call for call in calls))
        self.assertIn("The first result was there after", printed)
        self.assertIn("run-demo: the GPU's part failed", printed)


if __name__ == "__main__":
    unittest.main()
