"""`tesela lab run`: what it takes, refuses and reports; programs that do harm; one compiler alone."""

import concurrent.futures
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

sys.dont_write_bytecode = True  # leave the source tree as it is
from lab import COMPILERS, HERE, SOURCE, TESELA, alone, lab_run, lines_of, need_compilers

ACCESS = os.path.join(HERE, "counts", "access.cu")
HOSTILE = os.path.join(HERE, "hostile", "all.cu")
PARTS = os.path.join(HERE, "files", "parts.cu")
BRACES = os.path.join(HERE, "files", "braces.cu")
PROPERTIES = os.path.join(HERE, "files", "properties.cu")
WRONG = os.path.join(HERE, "files", "wrong.cu")


def refuse(*arguments):
    return subprocess.run([TESELA, "lab", *arguments], text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=60)


class TemporaryFolder(unittest.TestCase):
    def test_not_there(self):
        done = subprocess.run([TESELA, "lab", "run", ACCESS], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              check=False, env={**os.environ, "TMPDIR": "/nowhere"})
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, "^tesela: error: /nowhere/.*: No such file or directory: set TMPDIR to a folder")

    def test_full(self):
        """A full disk is no fault of the file or of the answer."""
        folder, answers = (tempfile.mkdtemp(prefix="tesela-lab-test-") for _ in range(2))
        self.addCleanup(shutil.rmtree, folder)
        self.addCleanup(shutil.rmtree, answers)
        disk = f"mount -t tmpfs -o size=100k none {folder}"
        if subprocess.run(["unshare", "-rm", "sh", "-c", disk], check=False, stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("no file system can be mounted here")
        for command in (f"run {ACCESS}", "check --solutions 1.1"):
            done = subprocess.run(
                ["unshare", "-rm", "sh", "-c", f"{disk} && exec {TESELA} lab {command}"], text=True, check=False,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                env={**os.environ, "TMPDIR": folder, "TESELA_LAB_DIR": answers})
            self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
            self.assertIn("free some space, or set TMPDIR to another folder", done.stderr.splitlines()[-1])


class Usage(unittest.TestCase):
    def test_refused(self):
        folder = tempfile.mkdtemp(prefix="tesela-lab-test-")
        self.addCleanup(shutil.rmtree, folder)
        ptx = os.path.join(folder, "ptx.cu")
        with open(ptx, "w", encoding="ascii") as file:
            file.write("__global__ void k(int *a)\n{\n    asm(\"exit;\");\n}\nint main() {}\n")
        broken = os.path.join(folder, "broken.cu")
        with open(broken, "w", encoding="ascii") as file:
            file.write("__global__ void k(int *a)\n{\n}\nint main() { k<<<1, 32>>>; }\n")

        def absent(line):
            path = os.path.join(tempfile.mkdtemp(dir=folder), "absent.cu")
            with open(path, "w", encoding="ascii") as file:
                file.write(f"#if 0\n#include <mma.h>\n#endif\n{line}\nint main() {{}}\n")
            return path

        cases = [
            (["run"], "give a CUDA file"),
            (["run", "no-such.cu"], "no-such.cu"),
            (["run", ACCESS, "--device", "cuda:x"], "give a card's number"),
            (["run", ACCESS, "--device", "cuda:"], "give a card's number"),
            (["run", ACCESS, "--device", "cuda:-1"], "give a card's number"),
            (["run", ACCESS, "-I", ""], "-I: the name is empty"),
            (["run", ACCESS, "-I", folder, "-I", os.path.join(folder, "none")], "No such file or directory"),
            (["run", ACCESS, "-I", ptx], "it is no folder"),
            (["run", ACCESS, "--device", "sim:4.2"], "from 1.0 to 12.1"),
            (["run", ACCESS, "--order", "sideways"], "forward, reversed, strided or random"),
            (["run", ACCESS, "--order", "forward:3"], "only random has a seed"),
            (["run", ACCESS, "--counts", "--checks"], "leave one of them out"),
            (["run", ACCESS, "--compiler", "no-such-compiler"], "no such program"),
            (["run", ptx], "ptx.cu:3: inline PTX"),
            (["run", broken], "broken.cu:4: a launch is"),
            (["run", absent("#include <mma.h>")], "absent.cu:4: mma.h: the simulated device has no tensor cores"),
            (["run", absent("# include \"thrust/sort.h\"")], "absent.cu:4: thrust/sort.h: "),
            (["run", absent("texture<float, 2> image;")], "absent.cu:4: texture: "),
            (["run", absent("void f() { surf2Dread(1); }")], "absent.cu:4: surf2Dread: "),
            (["rnu"], "did you mean run?"),
        ]
        for arguments, text in cases:
            with self.subTest(arguments=arguments):
                done = refuse(*arguments)
                self.assertEqual(done.returncode, 2)
                self.assertEqual(len(done.stderr.strip().split("\n")), 1, done.stderr)
                self.assertIn(text, done.stderr)

    def test_crossed_sides(self):
        """What crosses between host and device is told at its line, if clang is there."""
        if not shutil.which("clang"):
            self.skipTest("clang is not found")
        done = refuse("run", WRONG)
        self.assertEqual(done.returncode, 2)
        errors = {int(line.split(":")[1]) for line in done.stderr.split("\n")
                  if ": error: " in line and line.startswith(WRONG)}
        self.assertEqual(errors, {3, 4, 5, 6, 7})


class Files(unittest.TestCase):
    def test_parts(self):
        """Included kernels, macros, namespaces, launches over several lines; output and status."""
        for compiler in COMPILERS:
            done, report = lab_run(PARTS, "--compiler", compiler, "--", "5")
            self.assertIsNotNone(report, done.stderr)
            self.assertIn("__shared__ k<<<1, 2>>>(x) /* no comment */ 5\n", done.stdout)
            self.assertEqual(done.returncode, 1)
            results = report["results"]
            self.assertEqual(results["exit_status"], 5)
            self.assertEqual([run["exit_status"] for run in results["runs"]], 5 * [5])
            self.assertEqual([launch["kernel"] for launch in results["launches"]],
                             ["fill<int,32>", "kernel", "inner::swapped", "shapes", "past"])
            self.assertEqual([(os.path.basename(r["file"]), r["line"], r["kind"])
                              for r in results["reports"]], [("parts.h", 8, "bounds")])
            lines = {line["line"] for line in results["launches"][0]["lines"]}
            self.assertEqual(lines, {13, 14, 16})

    def test_braces(self):
        """What stands in braces means what it does to nvcc, which leaves structs and vectors without constructors."""
        for compiler in COMPILERS:
            done, _ = lab_run(BRACES, "--compiler", compiler)
            self.assertIn("3 4 10 6 3 5 2 3 9 7 95 0 \n", done.stdout, done.stderr)
            self.assertEqual(done.returncode, 0, done.stdout)

    def test_folders_and_macros(self):
        """Headers of -I are rewritten too, by quotes and by angle brackets; -D reaches the file."""
        folder = tempfile.mkdtemp(prefix="tesela-lab-test-")
        self.addCleanup(shutil.rmtree, folder)
        os.mkdir(os.path.join(folder, "headers"))
        with open(os.path.join(folder, "headers", "kernel.h"), "w", encoding="ascii") as file:
            file.write("__device__ int of_device = 5;\n__global__ void k(int *a)\n{\n"
                       "    __shared__ int s[1];\n    s[0] = of_device;\n    *a = s[0] + VALUE;\n}\n"
                       "inline void start(int *a) { k<<<1, 1>>>(a); }\n")
        for include in ('"kernel.h"', "<kernel.h>"):
            path = os.path.join(folder, "file.cu")
            with open(path, "w", encoding="ascii") as file:
                file.write(f"#include {include}\nint main()\n{{\n    int *d, h;\n    cudaMalloc(&d, 4);\n"
                           "    start(d);\n    cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);\n"
                           '    printf("%d\\n", h);\n}\n')
            for compiler in COMPILERS:
                done, report = lab_run(path, "--compiler", compiler, "-I", os.path.join(folder, "headers"),
                                       "-D", "VALUE=2")
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertTrue(done.stdout.startswith("7\n"), done.stdout)
                self.assertEqual(report["results"]["reports"], [])


# In place of nvcc: programs that print what the card would; NAME=VALUE of the environment says what. In place of
# ncu: its table.
NVCC = """#!/bin/sh
while [ $# -gt 1 ]; do
    [ "$1" = -o ] && out=$2
    shift
done
case $1 in
*/probe.cu) printf '#!/bin/sh\\necho "$CARD"\\nexit $NONE\\n' >"$out" ;;
*) printf '#!/bin/sh\\nprintf "%%b" "$PRINTED"\\nexit 0\\n' >"$out" ;;
esac
chmod +x "$out"
"""
NCU = """#!/bin/sh
while [ "$1" != --log-file ]; do
    shift
done
printf '==PROF== Connected\\n%b' "$TABLE" >"$2"
"""
METRICS = [f"l1tex__{name}_op_{way}.sum" for name in ("t_sectors_pipe_lsu_mem_global", "data_pipe_lsu_wavefronts_mem_shared",
                                                     "data_bank_conflicts_pipe_lsu_mem_shared") for way in ("ld", "st")]


class Card(unittest.TestCase):
    """The way of a card, with scripts in place of NVIDIA's tools."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tesela-lab-test-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.file = os.path.join(self.folder, "file.cu")
        with open(self.file, "w", encoding="ascii") as file:
            file.write("__global__ void k(int *a) { a[threadIdx.x] = a[threadIdx.x] + 1; }\nint main()\n{\n"
                       "    int *a;\n    cudaMalloc(&a, 128);\n    cudaMemset(a, 0, 128);\n"
                       '    k<<<1, 32>>>(a);\n    printf("one\\ntwo\\n");\n}\n')

    def run_on_card(self, tools, *options, device="cuda:0", **environment):
        for name, text in tools.items():
            path = os.path.join(self.folder, name)
            with open(path, "w", encoding="ascii") as file:
                file.write(text)
            os.chmod(path, 0o755)
        kept = {**os.environ, "PATH": self.folder + ":" + os.environ["PATH"], "CUDA_HOME": self.folder,
                "CARD": "8.0 A card", "NONE": "0", **environment}
        return lab_run(self.file, "--device", device, *options, env=kept)

    def test_no_card(self):
        done, _ = self.run_on_card({"nvcc": NVCC}, CARD="no CUDA-capable device is detected", NONE="1")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(len(done.stderr.strip().split("\n")), 1, done.stderr)
        self.assertIn("--device cuda:0: no CUDA-capable device is detected", done.stderr)
        done, _ = self.run_on_card({"nvcc": NVCC.replace('echo "$CARD"', ":")})
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("a program there does not tell the card's name", done.stderr)

    def test_visible_cards(self):
        """N counts among the cards that CUDA_VISIBLE_DEVICES leaves."""
        nvcc = NVCC.replace("$CARD", "8.0 <$CUDA_VISIBLE_DEVICES>")
        for visible, number, name in (("3,GPU-5f", 0, "<3>"), ("3,GPU-5f", 1, "<GPU-5f>"), ("3", 1, "<>"),
                                      (None, 2, "<2>")):
            environment = {} if visible is None else {"CUDA_VISIBLE_DEVICES": visible}
            with unittest.mock.patch.dict(os.environ):
                os.environ.pop("CUDA_VISIBLE_DEVICES", None)
                done, report = self.run_on_card({"nvcc": nvcc}, "--checks", "--order", "forward",
                                                device=f"cuda:{number}", PRINTED="one\ntwo\n", **environment)
            self.assertEqual(report["results"]["card"]["name"], name, done.stderr)
            self.assertIn("no counters of the card: --checks leaves them out", done.stdout)

    def test_both_columns(self):
        names = ["ID", "Kernel Name", *METRICS]
        rows = [names, ["", "", "sector", "sector", "", "", "", ""],
                ["0", "k(int *, int)", "1,004", "7", "20", "10", "2", "3"]]
        table = "".join(",".join(f'"{value}"' for value in row) + "\n" for row in rows)
        done, report = self.run_on_card({"nvcc": NVCC, "ncu": NCU}, PRINTED="one\ntwo\n", TABLE=table)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("output is the same", done.stdout)
        self.assertRegex(done.stdout, r"global_read_sectors +4 +1004")
        self.assertEqual(report["results"]["card"]["launches"],
                         [{"kernel": "k(int *, int)", "global_read_sectors": 1004, "global_write_sectors": 7,
                           "shared_wavefronts": 30, "bank_conflicts": 5}])
        self.assertEqual(report["parameters"]["capability"], "8.0")
        card = report["results"]["card"]
        with open(os.path.join(SOURCE, "docs", "json.md"), encoding="utf-8") as file:
            documented = re.findall(r"^\| `results\.card\.([^`]+)`", file.read(), re.MULTILINE)
        self.assertCountEqual(documented, [*card, *(f"launches[].{name}" for name in card["launches"][0])])

    def test_many_columns(self):
        """A table as wide as a card's: hundreds of columns, a header longer than 10 000 characters, commas and doubled
        quotes in values, lines that end in a return, metrics at both ends."""
        attributes = [f"device__attribute_of_some_length_number_{i}" for i in range(300)]
        names = [METRICS[0], "ID", *attributes, "Kernel Name", *attributes, *METRICS[1:]]
        self.assertGreater(len(",".join(names)), 20000)
        beside = ["1,980,000", *(299 * ['a, "b"'])]
        launches = [(f"k<{i}>(int *, const char (&)[2])", [1000 * i + m for m in range(6)]) for i in range(1, 41)]
        rows = [names, ["sector", *(len(names) - 1) * [""]]]
        rows += [[f"{n[0]:,}", i, *beside, kernel, *beside, *(f"{x:,}" for x in n[1:])]
                 for i, (kernel, n) in enumerate(launches)]
        with open(os.path.join(self.folder, "table.csv"), "w", encoding="ascii", newline="") as file:
            csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\r\n").writerows(rows)
        table = os.path.join(self.folder, "table.csv")
        ncu = NCU.replace("""printf '==PROF== Connected\\n%b' "$TABLE" >"$2\"""", f"cat {table} >\"$2\"")
        self.assertNotEqual(ncu, NCU)
        done, report = self.run_on_card({"nvcc": NVCC, "ncu": ncu}, PRINTED="one\ntwo\n")
        self.assertIn("launches: 1 simulated, 40 on the card", done.stdout, done.stderr)
        self.assertEqual(report["results"]["card"]["launches"],
                         [{"kernel": kernel, "global_read_sectors": n[0], "global_write_sectors": n[1],
                           "shared_wavefronts": n[2] + n[3], "bank_conflicts": n[4] + n[5]}
                          for kernel, n in launches])

    def test_a_counter_is_missing(self):
        """What the tool did not count is not told as 0."""
        for names, last in ((METRICS[:-1], []), (METRICS, ["n/a"])):
            rows = (["ID", "Kernel Name", *names], [""] * 8, ["0", "k(int *)"] + 5 * ["1"] + last)
            table = "".join(",".join(f'"{value}"' for value in row) + "\n" for row in rows)
            done, report = self.run_on_card({"nvcc": NVCC, "ncu": NCU}, PRINTED="one\ntwo\n", TABLE=table)
            self.assertEqual(report["results"]["card"]["launches"], [])
            self.assertIn(f"no counters of the card: Nsight Compute has no number of {METRICS[-1]} for k(int *)",
                          done.stdout)

    def test_other_output(self):
        done, report = self.run_on_card({"nvcc": NVCC, "ncu": NCU}, PRINTED="one\n2\n",
                                        TABLE="==ERROR== no permission\n")
        self.assertEqual(done.returncode, 1)
        self.assertIn("output differs at line 2\n  simulated: two\n  card:      2\n", done.stdout)
        self.assertIn("no counters of the card: no permission", done.stdout)
        self.assertEqual(report["results"]["card"]["different_line"], 2)

    def test_output_by_lines(self):
        """Lines are compared to their ends; whether the last one has an end does not matter."""
        with open(self.file, encoding="ascii") as file:
            text = file.read().replace("one", 300 * "a")
        with open(self.file, "w", encoding="ascii") as file:
            file.write(text)
        for printed, line in ((300 * "a" + "\ntwo", None), (299 * "a" + "b\ntwo\n", 1), (300 * "a" + "\n", 2),
                              (300 * "a" + "\ntwo\nthree\n", 3), ("", 1)):
            done, report = self.run_on_card({"nvcc": NVCC}, "--checks", "--order", "forward", PRINTED=printed)
            self.assertEqual(report["results"]["card"]["different_line"], line, done.stdout)
            self.assertEqual(done.returncode, 0 if line is None else 1)

    def test_endless_output(self):
        done, report = self.run_on_card({"nvcc": NVCC.replace("exit 0", "exec yes")}, "--checks", "--order", "forward",
                                        PRINTED="one\n")
        self.assertEqual(done.returncode, 1)
        self.assertIn("ended after it had printed 128 MiB", done.stdout)
        self.assertIsNone(report["results"]["card"]["exit_status"])


class Old(unittest.TestCase):
    def test_half_warps(self):
        for device, reads, writes in (("sim:1.0", 1, 16), ("sim:1.2", 1, 16)):
            done, report = lab_run(ACCESS, "--counts", "--device", device, "--", "64")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            launches = report["results"]["launches"]
            naive = [x for x in launches if x["kernel"] == "transposeNaive"][0]
            half_warps = 64 * 64 // 16
            lines = lines_of(naive)
            self.assertEqual(lines[("global", "read", 4)]["transactions"], reads * half_warps)
            self.assertEqual(lines[("global", "write", 4)]["transactions"], writes * half_warps)
            if device == "sim:1.0":
                self.assertEqual(naive["uncoalesced_half_warps"], half_warps)
            tile = [x for x in launches if x["kernel"] == "transposeTile<1>"][0]
            self.assertEqual(tile["uncoalesced_half_warps"], 0)


class Properties(unittest.TestCase):
    # By the programming guide's table; pitches and alignments are of cards.
    TOLD = {
        "1.3": "1D 8192 linear 134217728 layered 8192 x 512\n"
               "2D 65536 x 32768 linear 65000 x 65000 pitch 1048544 layered 8192 x 8192 x 512\n"
               "3D 2048 x 2048 x 2048\nalignments 512 32 512 preemption 0\n",
        "6.1": "1D 131072 linear 134217728 layered 32768 x 2048\n"
               "2D 131072 x 65536 linear 131072 x 65000 pitch 2097120 layered 32768 x 32768 x 2048\n"
               "3D 16384 x 16384 x 16384\nalignments 512 32 512 preemption 1\n",
    }

    def test_textures(self):
        for device, text in self.TOLD.items():
            with self.subTest(device=device):
                done, _ = lab_run(PROPERTIES, "--counts", "--device", f"sim:{device}")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(done.stdout.startswith(text), done.stdout)


# Argument, kinds of which one must be told, status of the command, in which run.
COUNTS, CHECKS = ["--counts"], ["--checks", "--order", "forward"]
HARM = [("endless", ["time"], 1, CHECKS), ("endless-silent", ["time"], 1, COUNTS),
        ("endless-host", ["time"], 1, COUNTS), ("deaf", ["time"], 1, COUNTS),
        ("barrier", ["time"], 1, CHECKS), ("recursion", ["stack"], 1, COUNTS),
        ("wild", ["bounds"], 1, CHECKS), ("fork", ["refused"], 1, COUNTS),
        ("system", ["refused"], 1, COUNTS), ("write", ["refused"], 1, COUNTS),
        ("remove", ["refused"], 1, COUNTS), ("network", ["refused"], 1, COUNTS),
        ("kill", ["refused"], 1, COUNTS), ("session", ["refused"], 1, COUNTS),
        ("memory", ["fault", "time"], 1, COUNTS), ("device-memory", [], 0, COUNTS),
        ("close", ["refused"], 1, COUNTS), ("shared", ["refused"], 1, COUNTS),
        ("late-call", ["refused"], 1, COUNTS), ("thread-kill", ["refused"], 1, COUNTS), ("abort", ["killed"], 1, COUNTS),
        ("flood", ["time"], 1, COUNTS)]


class Harm(unittest.TestCase):
    def test_harm(self):
        folder = tempfile.mkdtemp(prefix="tesela-lab-test-")
        self.addCleanup(shutil.rmtree, folder)
        victim = os.path.join(folder, "victim")
        with open(victim, "w", encoding="ascii") as file:
            file.write("kept\n")

        def one(case):
            return lab_run(HOSTILE, "--time", "1", *case[3], "--", case[0], victim)

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for case, (done, report) in zip(HARM, pool.map(one, HARM)):
                with self.subTest(what=case[0]):
                    self.assertIsNotNone(report, done.stderr)
                    self.assertEqual(done.returncode, case[2])
                    kinds = [r["kind"] for r in report["results"]["reports"]]
                    self.assertEqual(len(kinds), len(case[1][:1]))
                    self.assertLessEqual(set(kinds), set(case[1]))
        with open(victim, encoding="ascii") as file:
            self.assertEqual(file.read(), "kept\n")

    def test_unguarded(self):
        folder = tempfile.mkdtemp(prefix="tesela-lab-test-")
        self.addCleanup(shutil.rmtree, folder)
        victim = os.path.join(folder, "victim")
        done, _ = lab_run(HOSTILE, "--counts", "--unguarded", "--", "write", victim)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        with open(victim, encoding="ascii") as file:
            self.assertEqual(file.read(), "harm\n")


class Alone(unittest.TestCase):
    def test_one_compiler(self):
        """Only clang, then only g++, and no network: the same counts."""
        found = []
        for compiler in COMPILERS:
            environment, cut_off = alone(compiler)
            self.addCleanup(shutil.rmtree, environment["PATH"])
            report = os.path.join(environment["PATH"], "report.json")
            done = subprocess.run([*cut_off, TESELA, "lab", "run", ACCESS, "--json", report, "--",
                                   "64"], text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, check=False, timeout=120,
                                  env=environment)
            self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr)
            self.assertIn("not diagnosed" if compiler == "g++" else "built by clang++ in",
                          done.stdout)
            with open(report, encoding="utf-8") as file:
                launches = json.load(file)["results"]["launches"]
            found.append([{k: v for k, v in launch.items()
                           if k.endswith(("sectors", "wavefronts", "conflicts"))}
                          for launch in launches])
        for other in found[1:]:
            self.assertEqual(found[0], other)


if __name__ == "__main__":
    need_compilers()
    unittest.main()
