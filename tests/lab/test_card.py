# ctest: cost 15
"""The course on a card, with scripts in place of nvcc and the card; rates of cards, and advice on loops."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True  # leave the source tree as it is
from course import COURSE
from lab import COMPILERS, SOURCE, TESELA, need_compilers

# Takes the place of nvcc: what it "builds" are scripts.
NVCC = """#!/bin/sh
echo "$@" >>"$FOLDER/nvcc.txt"
while [ $# -gt 1 ]; do
    [ "$1" = -o ] && out=$2
    shift
done
case $1 in
*/probe.cu) printf '#!/bin/sh\\necho "9.0 A card"\\n' >"$out" ;;
*/rates.cu) printf '#!/bin/sh\\ncat "$FOLDER/rates.txt"\\n' >"$out" ;;
*) cp "$1" "$FOLDER/card.cu"
    [ "$MODE" = refused ] && { echo "$(dirname "$1")/answer.cu(5): error: no"; exit 1; }
    cp "$FOLDER/card.py" "$out" ;;
esac
chmod +x "$out"
"""
# Takes the place of an answer on the card: SAXPY of the input that the checker makes, and times of its launches.
CARD = """#!%s
import os, struct, sys
MASK, mode = (1 << 64) - 1, os.environ["MODE"]
def random(seed, stream, i):
    x = (seed + 0x9e3779b97f4a7c15 * (stream * 1000003 + i + 1)) & MASK
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9 & MASK
    x = (x ^ x >> 27) * 0x94d049bb133111eb & MASK
    return x ^ x >> 31
def floats(seed, stream, n):
    return [(random(seed, stream, i) %% 256 - 128) / 64 for i in range(n)]
sizes = [size for size in sys.argv[2:] if not size.startswith("+")]
for number, size in enumerate(sizes):
    n = int(size)
    seed = (int(sys.argv[1]) * 6364136223846793005 + 1442695040888963407 * (number + 1)) & MASK
    y = [2.5 * a + b for a, b in zip(floats(seed, 1, n), floats(seed, 2, n))]
    y[-1] += mode == "wrong" and number == len(sizes) - 1
    if mode != "silent":
        os.write(int(os.environ["TESELA_LAB_OUTPUTS"]), struct.pack(f"=4q{n}f", number, 0, 4, n, *y))
assert sys.argv[-6] == "+copy", sys.argv
with open(os.environ["TESELA_LAB_SPEED"], "w") as file:
    file.write("rate 1e11\\n" + "".join(f"time {t}e-7\\n" for t in (2, 1.6, 3, 2, 2.4)))
    file.write("rate 1.2e11\\n" if mode == "unsteady" else "rate 1e11\\n")
sys.exit(3 if mode == "ends" else 0)
"""
SAXPY = """__global__ void saxpy(int n, float alpha, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = alpha * x[i] + y[i];
    }
}
"""
RATES = {"copy": 4e12, "read": 5e12, "triad": 4e12, "single": 6e13, "double": 3e13, "to_card": 1e10, "from_card": 2e10,
         "to_card_pinned": 5e10, "from_card_pinned": 4e10, "launch": 2e-6, "resident": 2e5,
         "start": 4e-7, "latency": 5e-7}


class CardTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tesela-lab-test-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.report = os.path.join(self.folder, "report.json")
        self.write("nvcc", NVCC)
        self.write("card.py", CARD % sys.executable)
        self.write("rates.txt", "card A card\n" + "".join(f"{name} {value:g}\n" for name, value in RATES.items()))
        os.chmod(os.path.join(self.folder, "nvcc"), 0o755)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()

    def lab(self, *arguments, mode="right"):
        environment = {**os.environ, "PATH": self.folder + ":" + os.environ["PATH"], "FOLDER": self.folder, "LC_ALL": "C",
                       "CUDA_HOME": self.folder, "MODE": mode, "TESELA_LAB_DIR": os.path.join(self.folder, "answers")}
        return subprocess.run([TESELA, "lab", *arguments], text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False, timeout=300, env=environment)


class Grades(CardTest):
    def setUp(self):
        super().setUp()
        course = os.path.join(self.folder, "course", "1-first-kernels")
        os.makedirs(course)
        for name in ("README.md", "1-first-kernels/module.md"):
            shutil.copy(os.path.join(COURSE, name), os.path.join(self.folder, "course", name))
        with open(os.path.join(COURSE, "1-first-kernels", "1.1-saxpy.md"), encoding="utf-8") as file:
            text = re.sub(r"^speed: .*$", "speed: 1000 copy 12", file.read(), count=1, flags=re.M)
        self.write("course/1-first-kernels/1.1-saxpy.md", text)
        self.answer = self.write("1.1-saxpy.cu", SAXPY)

    def check(self, mode, *more):
        return self.lab("check", self.answer, "--device", "cuda:0", "--course", os.path.join(self.folder, "course"),
                        "--compiler", COMPILERS[-1], "--json", self.report, *more, mode=mode)

    def test_right(self):
        done = self.check("right")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("A card: the same results", done.stdout)
        self.assertIn("speed: 60 % of what the card copies, 100 GB/s (40 to 75 % in 5 runs)", done.stdout)
        self.assertIn("not kept from files", done.stderr)
        exercise = json.loads(self.read("report.json"))["results"]["exercises"][0]
        self.assertTrue(exercise["on_card"])
        self.assertAlmostEqual(exercise["speed_share"], 0.6)
        self.assertAlmostEqual(exercise["card_rate"], 1e11)
        self.assertIn("-arch=sm_90", self.read("nvcc.txt"))
        for call in ("cudaLaunchKernel", "__cudaLaunchKernel", "cudaMalloc", "cudaFree", "cudaMemGetInfo"):
            self.assertIn(f"--wrap={call} ", self.read("nvcc.txt"))
        self.assertIn(os.path.join(SOURCE, "include", "tesela-lab", "lab_card.h"), self.read("card.cu"))

    def test_not_right(self):
        for mode, words in (("wrong", "size 1000: y[999] is"), ("silent", "size 1: y is missing"),
                            ("ends", "on the card the program exits with status 3"),
                            ("refused", "nvcc does not compile it")):
            with self.subTest(mode=mode):
                done = self.check(mode)
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.assertIn(words, done.stdout)
                self.assertIn("(on the card)" if mode in ("wrong", "silent") else "", done.stdout)
        self.assertIn("1.1-saxpy.cu(5): error", done.stderr)  # nvcc's own line

    def test_unsteady(self):
        done = self.check("unsteady", "--lang", "es")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("A card: los mismos resultados\n  velocidad: no se da", done.stdout)
        self.assertIsNone(json.loads(self.read("report.json"))["results"]["exercises"][0]["speed_share"])

    def test_wrong_without_a_card(self):
        """What is wrong without a card does not come to it."""
        self.write("1.1-saxpy.cu", SAXPY.replace("i < n", "i <= n"))
        done = self.check("right")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "card.cu")))

    def test_refused(self):
        for device, words in (("tpu", "give cuda:N"), ("cuda:-1", "a card's number")):
            done = self.lab("check", self.answer, "--device", device)
            self.assertEqual(done.returncode, 2)
            self.assertIn(words, done.stderr)


class Rates(CardTest):
    def test_bench(self):
        path = os.path.join(self.folder, "kept.txt")
        done = self.lab("bench", "--device", "cuda:0", "-o", path, "--json", self.report)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"copy +4000\.0  GB/s")
        self.assertRegex(done.stdout, r"launch +2\.0  microseconds")
        self.assertRegex(done.stdout, r"resident +200000\.0  threads at a time\nstart +0\.400  microseconds")
        results = json.loads(self.read("report.json"))["results"]
        self.assertEqual({name: results[name] for name in RATES}, RATES)
        with open(os.path.join(SOURCE, "docs", "json.md"), encoding="utf-8") as file:
            section = file.read().split("## tesela lab bench\n")[1].split("\n## ")[0]
        self.assertCountEqual(re.findall(r"^\| `results\.([^`]+)`", section, re.M), results)
        self.assertEqual(self.lab("advise", "--rates", path, "--bytes", "1").returncode, 0)

    def advise(self, *arguments):
        done = self.lab("advise", "--rates", os.path.join(self.folder, "rates.txt"), "--json", self.report, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(self.read("report.json"))["results"], done.stdout

    def test_model(self):
        """Each term by its formula, and the one that is told to dominate."""
        results, _ = self.advise("--bytes", "4000000000", "--operations", "3e9")
        self.assertEqual(results["bound"], "memory")
        self.assertAlmostEqual(results["seconds"]["loop"], 1e-3)
        self.assertIsNone(results["loop_gain"])
        results, told = self.advise("--bytes", "4000", "--operations", "3e12", "--active", "0.5", "--double")
        self.assertEqual(results["bound"], "arithmetic")
        self.assertAlmostEqual(results["seconds"]["arithmetic"], 0.2)
        self.assertIn("take the same way", told)
        results, _ = self.advise("--bytes", "4000", "--launches", "1000")
        self.assertEqual(results["bound"], "launches")
        self.assertAlmostEqual(results["seconds"]["kernel"], 2e-3)
        self.assertEqual(results["seconds"]["latency"], 0)
        results, told = self.advise("--bytes", "4000", "--kernel-threads", "2e7", "--chain", "8")
        self.assertEqual(results["bound"], "latency")
        self.assertAlmostEqual(results["seconds"]["kernel"], 100 * (4e-7 + 8 * 5e-7))
        self.assertIn("several elements", told)
        results, told = self.advise("--bytes", "4", "--kernel-threads", "1000", "--launches", "3")  # none fills the card
        self.assertAlmostEqual(results["seconds"]["latency"], 3 * (4e-7 + 5e-7), places=9)
        results, told = self.advise("--bytes", "4000000000", "--to-card", "1000000000", "--from-card", "1000000000",
                                    "--seconds", "1.51", "--share", "0.9")
        self.assertEqual(results["bound"], "copies")
        self.assertAlmostEqual(results["seconds"]["copies"], 0.1 + 0.05)
        self.assertAlmostEqual(results["loop_gain"], 10)
        self.assertAlmostEqual(results["program_gain"], 1 / (0.1 + 0.09))
        self.assertAlmostEqual(results["most_gain"], 10)
        self.assertIn("never more than 10", told)
        results, _ = self.advise("--bytes", "4000000000", "--to-card", "1000000000", "--from-card", "1000000000",
                                 "--pinned", "--seconds", "1")
        self.assertAlmostEqual(results["seconds"]["copies"], 0.02 + 0.025)
        self.assertIsNone(results["most_gain"])  # the loop is the whole program

    def test_file(self):
        """Bytes, lanes and launches as a run counts them: 48 floats read with a stride of 8, 64 written."""
        path = self.write("strided.cu", "__global__ void k(const float *x, float *y)\n{\n    float v = 0;\n"
                          "    if (threadIdx.x % 32 < 24) {\n        v = x[8 * threadIdx.x];\n    }\n"
                          "    y[threadIdx.x] = v;\n}\nint main()\n{\n"
                          "    float *x, *y;\n    cudaMalloc(&x, 2048);\n    cudaMalloc(&y, 256);\n"
                          "    cudaMemset(x, 0, 2048);\n    k<<<1, 64>>>(x, y);\n    k<<<1, 64>>>(x, y);\n}\n")
        done = self.lab("advise", "--rates", os.path.join(self.folder, "rates.txt"), path, "--scale", "1e6", "--json",
                        self.report)
        self.assertEqual(done.returncode, 0, done.stderr)
        told = json.loads(self.read("report.json"))["parameters"]
        self.assertEqual(told["bytes"], 1e6 * 2 * 32 * (48 + 2 * 4))
        self.assertAlmostEqual(told["active"], (32 + 24) / 64)
        self.assertEqual((told["launches"], told["threads"], told["chain"]), (2, 1e6 * 128, 1))
        self.assertIn("neighbouring lanes", done.stdout)
        done = self.lab("advise", "--rates", os.path.join(self.folder, "rates.txt"), path, "--bytes", "1000")
        self.assertIn("1000 bytes", done.stdout)

    def test_refused(self):
        rates = os.path.join(self.folder, "rates.txt")
        nothing = self.write("nothing.cu", "int main() {}\n")
        for arguments, words in ((["--bytes", "1"], "of which card"), (["--rates", rates], "--bytes and --operations"),
                                 (["--rates", rates, "--device", "cuda:0", "--bytes", "1"], "one of the two"),
                                 (["--rates", rates, "--device", "cpu", "--bytes", "1"], "one of the two"),
                                 (["--rates", self.write("a.txt", "copy fast\n"), "--bytes", "1"], "a.txt:1: a line is"),
                                 (["--rates", self.write("b.txt", "copy nan\n"), "--bytes", "1"], "b.txt:1: a line is"),
                                 (["--rates", self.write("c.txt", "copy 1\n"), "--bytes", "1"], "`read` is missing"),
                                 (["--rates", self.write("d.txt", "copy\n"), "--bytes", "1"], "d.txt:1: a line is"),
                                 (["--rates", rates, nothing], "launches no kernel"),
                                 (["--rates", rates, "no.cu"], "No such file")):
            with self.subTest(arguments=arguments):
                done = self.lab("advise", *arguments)
                self.assertEqual(done.returncode, 2, done.stdout)
                self.assertIn(words, done.stderr)
                self.assertEqual(len(done.stderr.strip().split("\n")), 1)
        self.assertIn("say which card", self.lab("bench").stderr)

    def test_no_card(self):
        """The remedy is one that the command has: it needs a card."""
        self.write("nvcc", "#!/bin/sh\necho no driver\nexit 1\n")
        for arguments in (["bench"], ["advise", "--bytes", "1"]):
            done = self.lab(*arguments, "--device", "cuda:0")
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn("--device cuda:0: no driver: name a card", done.stderr)


if __name__ == "__main__":
    need_compilers()
    unittest.main()
