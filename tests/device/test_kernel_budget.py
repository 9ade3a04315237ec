"""tools/kernel-budget on a tree and a build made up for it."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.environ.get("TESELA_SOURCE") or os.path.abspath(
    os.path.join(os.path.dirname(__file__), "..", ".."))

# What ptxas says of a kernel.
RECORD = """\
ptxas info    : Compiling entry function '{symbol}' for '{architecture}'
ptxas info    : Function properties for {symbol}
    {spilled} bytes stack frame, {spilled} bytes spill stores, {spilled} bytes spill loads
ptxas info    : Used {registers} registers, used 1 barriers, {shared}416 bytes cmem[0]
"""
SUM, FUSED = "_Z3sum9arguments", "_Z5fusedIfLi16EEv9arguments"


class Budget(unittest.TestCase):
    def setUp(self):
        self.root = tempfile.mkdtemp(prefix="tesela-budget-")
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        os.mkdir(self.path("tools"))
        shutil.copy(os.path.join(SOURCE, "tools", "kernel-budget"), self.path("tools"))
        self.write("src/blocks/a/a_cuda.cu", "")
        self.compiler("13.0.88")
        self.record([(SUM, 30, 0, 400), (FUSED, 65, 0, 0)])
        self.table = "src/device/kernel_budget.txt"
        os.makedirs(self.path("src/device"))
        self.assertEqual(self.run_tool("--update"), (0, ""))

    def path(self, name):
        return os.path.join(self.root, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="ascii") as file:
            file.write(text)

    def compiler(self, version):
        self.write("build/CMakeFiles/3.25/CMakeCUDACompiler.cmake",
                   f'set(CMAKE_CUDA_COMPILER_VERSION "{version}")\n')

    def record(self, kernels, architectures=("sm_80", "sm_90")):
        """As if the build had these kernels: symbol, registers, bytes spilled, shared memory."""
        text = ""
        for architecture in architectures:
            for symbol, registers, spilled, shared in kernels:
                text += RECORD.format(symbol=symbol, architecture=architecture,
                                      registers=registers, spilled=spilled,
                                      shared=f"{shared} bytes smem, " if shared else "")
        self.write("build/CMakeFiles/tesela_cuda.dir/src/blocks/a/a_cuda.cu.o.ptxas", text)

    def run_tool(self, *arguments):
        """Exit status, and what it said."""
        result = subprocess.run([sys.executable, self.path("tools/kernel-budget"), *arguments,
                                 self.path("build")], stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, check=False)
        return result.returncode, result.stdout

    def rows(self):
        with open(self.path(self.table), encoding="ascii") as file:
            return [line.rstrip("\n") for line in file if not line.startswith("#")]

    def assert_wrong(self, *lines):
        status, said = self.run_tool()
        self.assertEqual(said.splitlines()[:-1], list(lines))
        self.assertEqual(status, 1)

    def test_what_was_entered_is_within(self):
        self.assertEqual(self.rows(), ["src/blocks/a/a_cuda.cu fused<float,16> 72 0 0",
                                       "src/blocks/a/a_cuda.cu sum 32 0 400"])
        self.assertEqual(self.run_tool(), (0, f"2 kernels, all within {self.table}\n"))

    def test_above(self):
        self.record([(SUM, 33, 12, 400), (FUSED, 72, 0, 8)], ["sm_90"])
        with open(self.path("build/CMakeFiles/tesela_cuda.dir/src/blocks/a/a_cuda.cu.o.ptxas"),
                  encoding="ascii") as file:
            newer = file.read()
        self.record([(SUM, 30, 0, 400), (FUSED, 72, 0, 0)], ["sm_80"])
        with open(self.path("build/CMakeFiles/tesela_cuda.dir/src/blocks/a/a_cuda.cu.o.ptxas"),
                  "a", encoding="ascii") as file:
            file.write(newer)
        source, table = "src/blocks/a/a_cuda.cu", self.table
        self.assert_wrong(
            f"{source}: kernel fused<float,16> takes 8 bytes of shared memory on sm_90, "
            f"more than the 0 in {table}",
            f"{source}: kernel sum takes 33 registers on sm_90, more than the 32 in {table}",
            f"{source}: kernel sum takes 12 bytes spilled on sm_90, more than the 0 in {table}")

    def test_new_and_gone(self):
        self.record([(SUM, 30, 0, 400), ("_Z3newv", 8, 0, 0)])
        self.assert_wrong(f"src/blocks/a/a_cuda.cu: kernel new is not in {self.table}",
                          f"{self.table}: there is no kernel fused<float,16> in "
                          "src/blocks/a/a_cuda.cu")

    def test_update_enters_raises_and_keeps(self):
        self.record([(SUM, 20, 0, 400), ("_Z3newv", 9, 4, 0)])
        self.assertEqual(self.run_tool("--update"), (0, ""))
        self.assertEqual(self.rows(), ["src/blocks/a/a_cuda.cu new 16 4 0",
                                       "src/blocks/a/a_cuda.cu sum 32 0 400"])
        self.record([(SUM, 41, 0, 400), ("_Z3newv", 9, 4, 0)])
        self.assertEqual(self.run_tool("--update"), (0, ""))
        self.assertEqual(self.rows()[1], "src/blocks/a/a_cuda.cu sum 48 0 400")

    def test_a_source_without_record(self):
        self.write("src/blocks/b/b_cuda.cu", "")
        status, said = self.run_tool()
        self.assertEqual(status, 1)
        self.assertIn("src/blocks/b/b_cuda.cu: nothing is recorded of it", said)

    def test_one_architecture(self):
        self.record([(SUM, 99, 0, 400), (FUSED, 65, 0, 0)], ["sm_90"])
        status, said = self.run_tool()
        self.assertEqual(status, 1)
        self.assertIn("kernel sum takes 99 registers on sm_90", said)
        status, said = self.run_tool("--update")
        self.assertEqual(status, 77)
        self.assertIn("built for sm_90 only", said)

    def test_builds_that_cannot_tell(self):
        self.record([(SUM, 99, 0, 400)], ["sm_70"])
        status, said = self.run_tool()
        self.assertEqual(status, 77)
        self.assertIn("built for sm_70 only", said)
        self.record([(SUM, 99, 0, 400)])
        self.compiler("12.4.131")
        status, said = self.run_tool()
        self.assertEqual(status, 77)
        self.assertIn("for nvcc 13.0; this is 12.4", said)
        shutil.rmtree(self.path("build"))
        status, said = self.run_tool()
        self.assertEqual(status, 77)
        self.assertIn("without CUDA", said)


if __name__ == "__main__":
    unittest.main()
