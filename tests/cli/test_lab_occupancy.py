"""`tesela lab occupancy`: what it prints and reports, what it asks of nvcc, and what it refuses."""

import json
import os
import re
import shutil
import stat
import sys
import unittest

sys.dont_write_bytecode = True  # leave the source tree as it is
from command import SOURCE, CommandTest, gpus, run

TESTS = os.environ.get("TESELA_TESTS") or os.path.join(SOURCE, "build", "cpu", "tests")
KERNEL = ["--threads", "256", "--registers", "40", "--shared", "8K"]
CUDA = """
template <int N> __global__ void sum(float *x)
{
    __shared__ float s[N];
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = s[N - 1 - threadIdx.x];
}
template __global__ void sum<256>(float *);
__global__ void twice(float *x) { x[threadIdx.x] *= 2; }
"""


class Results(CommandTest):
    def occupancy(self, *arguments):
        result = self.run_command("lab", "occupancy", *arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def report(self, *arguments):
        return json.loads(self.occupancy(*arguments, "--quiet", "--json", "-"))["results"]

    def test_what_binds_and_what_gains(self):
        text = self.occupancy("--cc", "9.0", *KERNEL)
        self.assertIn("Compute capability 9.0: 6 blocks, 48 of 64 warps, occupancy 75.0 %", text)
        self.assertRegex(text, r"\n  registers +10240 +65536 +6  binds\n")
        self.assertEqual(text.count("binds"), 1)
        self.assertIn("gains a block: 32 registers a thread in place of 40:\n  8 blocks, 64", text)
        text = self.occupancy("--cc", "9.0", "--threads", "256", "--registers", "40", "--dynamic",
                              "37K")
        self.assertIn("32 registers a thread in place of 40 and 32256 bytes of shared memory a block "
                      "in place of 37888", text)
        text = self.occupancy("--cc", "9.0", "--threads", "320", "--registers", "32")
        self.assertIn("64 warps have room for 6 blocks of 10", text)
        self.assertIn("Nearest block size that gains warps: 288 threads in place of 320", text)

    def test_worked_case_of_the_course(self):
        results = self.report("--cc", "1.0", "--threads", "128", "--registers", "8", "--shared",
                              "1024")
        self.assertEqual([results[name] for name in ("blocks", "warps", "occupancy", "limit")],
                         [6, 24, 1, "warps"])
        self.assertIsNone(results["gain"])

    def test_what_cannot_be_launched(self):
        for arguments, limit, words in (
                (["--threads", "600", "--registers", "8"], "threads of a block", "600 .* at most 512"),
                (["--threads", "64", "--registers", "200"], "registers of a thread", "200 .* most 124"),
                (["--threads", "512", "--registers", "40"], "registers of a block",
                 "20480 .* most 16384"),
                (["--threads", "64", "--registers", "8", "--shared", "16385"],
                 "static shared memory of a block", "16385 bytes .* most 16384")):
            self.assertRegex(self.occupancy("--cc", "1.3", *arguments),
                             f"(?s) 0 blocks.*Cannot be launched: {words}")
            results = self.report("--cc", "1.3", *arguments)
            self.assertEqual((results["blocks"], results["limit"]), (0, limit))
            self.assertEqual(results["refused"][0], limit)

    def test_opt_in(self):
        text = self.occupancy("--cc", "9.0", "--threads", "256", "--registers", "32", "--dynamic",
                              "100K")
        self.assertIn("cudaFuncAttributeMaxDynamicSharedMemorySize, 102400)", text)
        text = self.occupancy("--cc", "9.0", "--threads", "256", "--registers", "32", "--dynamic",
                              "48K")
        self.assertNotIn("cudaFuncSetAttribute", text)

    def test_explanation(self):
        text = self.occupancy("--cc", "5.2", *KERNEL, "--explain")
        for words in ("256 threads are 8 warps; 64 / 8", "1280 in units of 256", "98304 / 8192",
                      "guide 64 K, which is taken; spreadsheet 32 K"):
            self.assertIn(words, text)
        text = self.occupancy("--cc", "1.2", *KERNEL[:2], "--registers", "9", "--arguments", "20",
                              "--explain")
        self.assertIn("+ 20 of arguments + 16 reserved: 512 in units of 512", text)
        self.assertIn("128, compiler 124", text)

    def test_all(self):
        text = self.occupancy("--all", *KERNEL)
        self.assertEqual(len(text.splitlines()), 30)
        self.assertRegex(text, r"\n9\.0 +6 +48 +75\.0 %  registers\n")
        results = self.report("--all", *KERNEL)
        self.assertIsNone(results["blocks"])
        for row in results["capabilities"]:
            alone = self.report("--cc", row["capability"], *KERNEL)
            for name in ("blocks", "warps", "occupancy", "limit"):
                self.assertEqual(row[name], alone[name], row)

    def test_carveout(self):
        for value, size in (("l1", 16), ("0", 16), ("equal", 132), ("50", 132), ("shared", 228),
                            ("71", 164)):
            self.assertEqual(self.report("--cc", "9.0", "--threads", "32", "--registers", "8",
                                         "--shared", "8K", "--carveout", value)["carveout_bytes"],
                             1024 * size)
        for arguments, words in (
                (["--cc", "6.1", "--carveout", "50"], "--carveout changes nothing on compute capability "
                 "6.1: "),
                (["--cc", "3.5", "--carveout", "40"], "nothing on compute capability 3.5: 2.x and 3.x "
                 "know 0, 50 and 100 alone"),
                (["--all", "--carveout", "50"], "capability 1.0, 1.1, 1.2, 1.3, 5.0, 5.2, 5.3, 6.0, 6.1, "
                 "6.2: "),
                (["--cc", "9.0", "--arguments", "8"], "--arguments changes nothing on compute "
                 "capability 9.0: ")):
            result = self.run_command("lab", "occupancy", *KERNEL, *arguments)
            self.assertEqual((result.returncode, result.stderr.count("\n")), (0, 1))
            self.assertIn(words, result.stderr)
        for arguments in (["--cc", "3.5", "--carveout", "50"], ["--cc", "1.0", "--arguments", "8"]):
            self.occupancy(*KERNEL, *arguments)  # nothing on standard error

    def test_curves(self):
        result = self.run_command("lab", "occupancy", "--cc", "9.0", *KERNEL, "--curves", "a.svg")
        if "no Cairo" in result.stderr:
            self.skipTest("built without Cairo")
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(self.path("a.svg"), encoding="utf-8") as file:
            self.assertIn("<svg", file.read())

    def test_help(self):
        result = self.run_command("lab", "--help")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("occupancy", result.stdout)
        result = self.run_command("lab", "occupancy", "--help")
        self.assertEqual(result.returncode, 0)
        self.assertIn("--carveout", result.stdout)
        self.assertEqual(self.run_command("lab").returncode, 2)

    def test_on_a_card(self):
        cards = gpus()
        if not cards:
            self.skipTest("no card here")
        text = self.occupancy("--device", cards[0], *KERNEL)
        capability = re.search(r"capability ([0-9.]+):", text)[1]
        live = self.report("--device", cards[0], *KERNEL)
        for name, value in self.report("--cc", capability, *KERNEL).items():
            self.assertEqual(value, live[name], name)


class Cards(CommandTest):
    """A plug-in of the tests has two cards of capability 9.0, the second of which tells of 5 blocks."""

    def setUp(self):
        super().setUp()
        plugin = os.path.join(TESTS, "plugins", "cards")
        if not os.path.isdir(plugin):
            self.skipTest("the tests' plug-ins are not built")
        self.environment = {**os.environ, "TESELA_PLUGIN_PATH": plugin}

    def occupancy(self, *arguments):
        result = run(self.folder, "lab", "occupancy", *KERNEL, *arguments, env=self.environment)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def test_limits_of_the_card(self):
        result = self.occupancy("--device", "cuda:0")
        self.assertEqual(result.stderr, "")
        self.assertEqual(result.stdout, self.occupancy("--cc", "9.0").stdout)
        result = self.occupancy("--device", "cuda:1")
        self.assertEqual(result.stderr, "tesela: warning: cuda:1: 5 blocks of a multiprocessor, where "
                         "the table of 9.0 has 32: the card's is taken\n")
        self.assertIn("5 blocks, 40 of 64 warps", result.stdout)
        self.assertIn("5 blocks are all that there can be", result.stdout)

    def test_report(self):
        report = json.loads(self.occupancy("--device", "cuda:1", "--quiet", "--json", "-").stdout)
        self.assertEqual((report["device"], report["model"]), ("cuda:1", "Card"))
        self.assertEqual(report["parameters"]["capability"], "9.0")
        self.assertEqual(report["results"]["limit"], "blocks")


class Compiler(CommandTest):
    def make_compiler(self, script):
        path = self.write("nvcc", "#!/bin/sh\n" + script)
        os.chmod(path, stat.S_IRWXU)
        return {**os.environ, "CUDACXX": path}

    def test_its_words(self):
        self.write("k.cu", "")
        environment = self.make_compiler(
            "echo \"$@\" >arguments\n"
            "echo \"ptxas info : Compiling entry function '_Z3sumPf' for 'sm_90'\"\n"
            "echo '0 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads'\n"
            "echo 'ptxas info : Used 40 registers, used 1 barriers, 8192 bytes smem'\n")
        result = run(self.folder, "lab", "occupancy", "--cc", "9.0", "--threads", "256", "--kernel",
                     "k.cu:sum", "--", "-O1", "-I", "x", env=environment)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("k.cu:sum: 40 registers a thread, 8192 bytes of static shared memory, 1 barrier",
                      result.stdout)
        self.assertIn("spills 8 bytes", result.stdout)
        self.assertIn("6 blocks, 48 of 64 warps", result.stdout)
        with open(self.path("arguments"), encoding="utf-8") as file:
            self.assertRegex(file.read(), r"^-arch=sm_90 .* -O1 -I x k\.cu$")

    def test_older_ones_do_not_tell_of_barriers(self):
        self.write("k.cu", "")
        environment = self.make_compiler(
            "echo \"ptxas info : Compiling entry function 'sum' for 'sm_13'\"\n"
            "echo 'ptxas info : Used 8 registers, 2032+36 bytes smem, 4 bytes cmem[1]'\n")
        result = run(self.folder, "lab", "occupancy", "--cc", "1.3", "--threads", "64", "--kernel",
                     "k.cu:sum", "--explain", env=environment)
        self.assertEqual(result.returncode, 0)
        self.assertIn("does not tell of barriers: 1 is taken", result.stderr)
        self.assertIn("2032 static + 0 dynamic + 20 of arguments + 16 reserved: 2560", result.stdout)

    def test_none(self):
        self.write("k.cu", "")
        result = run(self.folder, "lab", "occupancy", "--cc", "9.0", "--threads", "256", "--kernel",
                     "k.cu:sum", env={**os.environ, "CUDACXX": "/none/nvcc"})
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertEqual(result.stderr.count("\n"), 1)
        self.assertIn("/none/nvcc cannot be run", result.stderr)
        self.assertIn("--registers", result.stderr)

    def test_nvcc(self):
        nvcc = shutil.which("nvcc")
        if not nvcc:
            self.skipTest("nvcc is not here")
        self.write("k.cu", CUDA)
        for name, shared, barriers in (("sum", 1024, 1), ("twice", 0, 0)):
            result = self.run_command("lab", "occupancy", "--cc", "9.0", "--threads", "256",
                                      "--kernel", f"k.cu:{name}", "--quiet", "--json", "-")
            self.assertEqual(result.returncode, 0, result.stderr)
            parameters = json.loads(result.stdout)["parameters"]
            self.assertEqual((parameters["static_shared"], parameters["barriers"]),
                             (shared, barriers))
            self.assertTrue(4 <= parameters["registers"] <= 40)
        for arguments, words in ((["--cc", "3.5", "--kernel", "k.cu:sum"], "nvcc refuses it for sm_35"),
                                 (["--cc", "9.0", "--kernel", "k.cu:su"], "no kernel is called su"),
                                 (["--cc", "9.0", "--kernel", "k.cu:sum", "--", "-Werror", "x"],
                                  "nvcc refuses it")):
            self.assert_refused(["lab", "occupancy", "--threads", "256", *arguments], [words])


class Wrong(CommandTest):
    def test_options(self):
        cc = ["--cc", "9.0"]
        for arguments, words in (
                ([], ["--cc 9.0, --device cuda:0 or --all"]),
                (["--cc", "9.1"], ["--cc '9.1'", "1.0, 1.1", "12.1"]),
                (["--cc", "9"], ["--cc '9'"]),
                (cc, ["--threads is missing"]),
                ([*cc, "--threads", "256"], ["--registers is missing", "--kernel"]),
                ([*cc, "--threads", "0"], ["--threads '0'", "1 to 1024"]),
                ([*cc, "--threads", "1025"], ["--threads '1025'"]),
                ([*cc, "--registers", "256"], ["--registers '256'", "0 to 255"]),
                ([*cc, "--shared", "x"], ["--shared 'x'", "8K"]),
                ([*cc, "--shared", "-1"], ["--shared '-1'"]),
                ([*cc, "--dynamic", "2G"], ["--dynamic '2G'", "at most"]),
                ([*cc, "--arguments", "4K"], ["--arguments '4K'", "at most 256"]),
                ([*cc, "--barriers", "17"], ["--barriers '17'", "0 to 16"]),
                ([*cc, "--carveout", "101"], ["--carveout '101'", "l1, equal or shared"]),
                ([*cc, "--device", "cuda:0", *KERNEL], ["--cc and --device"]),
                (["--device", "cpu", *KERNEL], ["--device cpu", "no compute capability"]),
                (["--device", "sim", *KERNEL], ["--device sim", "no compute capability"]),
                (["--device", "cuda:0-1", *KERNEL], ["runs on one device"]),
                (["--device", "gpu", *KERNEL], ["unknown device 'gpu'"]),
                (["--all", *KERNEL, "--explain"], ["--explain needs --cc"]),
                (["--all", *KERNEL, "--curves", "a.svg"], ["--curves needs --cc"]),
                ([*cc, *KERNEL, "--curves", "a.txt"], ["--curves a.txt", ".svg"]),
                ([*cc, *KERNEL, "--curves", "no/a.svg"], ["--curves no/a.svg"]),
                ([*cc, *KERNEL, "--curves", "a.svg", "--json", "a.svg"], ["a.svg"]),
                ([*cc, *KERNEL, "--json", "no/a.json"], ["make that folder first"]),
                ([*cc, *KERNEL, "file.cu"], ["'file.cu'", "--kernel"]),
                ([*cc, *KERNEL, "--kernel", "a.cu:k"], ["--registers and --kernel"]),
                ([*cc, "--threads", "32", "--shared", "8", "--kernel", "a.cu:k"], ["--shared and"]),
                ([*cc, "--threads", "32", "--kernel", "a.cu"], ["FILE.cu:NAME"]),
                ([*cc, "--threads", "32", "--kernel", "a.cu:"], ["FILE.cu:NAME"]),
                ([*cc, "--threads", "32", "--kernel", ":k"], ["FILE.cu:NAME"]),
                ([*cc, "--threads", "32", "--kernel", "a.cu:k"], ["a.cu: No such file"]),
                (["--all", "--threads", "32", "--kernel", "a.cu:k"], ["--all and --kernel"]),
                ([*cc, "--treads", "32"], ["did you mean --threads?"])):
            self.assert_refused(["lab", "occupancy", *arguments], words)
        self.assert_refused(["lab", "ocupancy"], ["did you mean occupancy?"])
        self.assert_refused(["lab", "--xyzzy"], ["unknown option '--xyzzy'"])


if __name__ == "__main__":
    unittest.main()
