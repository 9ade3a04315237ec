"""The course's commands: list, next, show, check, hint, solution, reset, watch, site; what is kept, and what is
refused."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from html.parser import HTMLParser

sys.dont_write_bytecode = True  # leave the source tree as it is
from command import SOURCE, TESELA

HAS_COMPILER = shutil.which("clang++") or shutil.which("g++")
SOLUTION = """__global__ void saxpy(int n, float alpha, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = alpha * x[i] + y[i];
    }
}
"""


class Course(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tesela-course-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.answers = os.path.join(self.folder, "answers")
        self.environment = {**os.environ, "TESELA_LAB_DIR": self.answers, "LC_ALL": "C"}
        self.errors = ""  # what the last command told

    def lab(self, *arguments, expect=0):
        done = subprocess.run([TESELA, "lab", *arguments], text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=300,
                              env=self.environment)
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        self.errors = done.stderr
        return done.stdout

    def state(self):
        with open(os.path.join(self.answers, ".tesela-lab"), encoding="utf-8") as file:
            return file.read().split("\n")

    def answer(self, name, text):
        with open(os.path.join(self.answers, name), "w", encoding="utf-8") as file:
            file.write(text)

    PREDICTION = "speedup_30 = 7.69\nlimit = 10\nwith_copies = 5\nloop_needed = 9\nshare_10 = 90\n"

    def test_way_through(self):
        """Predictions need no compiler: the way of a learner through two exercises."""
        listed = self.lab("list")
        self.assertIn("0.1   The three key questions", listed)
        self.assertTrue(os.path.exists(os.path.join(self.answers, "1.1-saxpy.cu")))
        self.assertIn("0.1 The three", self.lab("next"))
        shown = self.lab("show", "14.1")
        self.assertIn("Module 14. Is it worth it?", shown)  # the first exercise of a module introduces it
        self.assertIn("14.1 Amdahl", shown)
        self.assertNotIn("Module 14", self.lab("show", "14.2"))
        self.lab("show", "14.1")
        self.assertIn("the value of speedup_30 is missing", self.lab("check", expect=1))
        self.assertIn("all hints are seen", self.lab("solution", expect=1))
        self.assertIn("Hint 1 of 2", self.lab("hint"))
        self.assertIn("Hint 2 of 2", self.lab("hint"))
        self.assertIn("no more hints", self.lab("hint"))
        self.assertIn("speedup_30 = 7.69", self.lab("solution"))
        self.answer("14.1-amdahl.txt", self.PREDICTION.replace("7.69", "27"))
        self.assertIn("speedup_30 = 27 is not right", self.lab("check", expect=1))
        given = self.PREDICTION.replace("7.69", "7,69").replace("90", "90 %")
        self.answer("14.1-amdahl.txt", given)
        passed = self.lab("check")
        self.assertIn("✔ 14.1", passed)
        self.assertIn("no speed-up can exceed 10", passed)
        self.assertIn("Next: 14.2", passed)
        self.assertIn("passed 14.1", self.state())
        self.assertIn("current 14.1", self.state())
        self.assertRegex(self.lab("list"), r"✔ > 14\.1")
        self.assertIn("14.2 The roofline", self.lab("next"))
        self.lab("reset", "14.1")
        self.assertNotIn("passed 14.1", self.state())
        with open(os.path.join(self.answers, "14.1-amdahl.txt.old"), encoding="utf-8") as file:
            self.assertEqual(file.read(), given)
        with open(os.path.join(self.answers, "14.1-amdahl.txt"), encoding="utf-8") as file:
            self.assertIn("speedup_30 = ?", file.read())

    def test_language(self):
        self.environment["LC_ALL"] = "es_ES.UTF-8"
        self.assertIn("Las tres preguntas clave", self.lab("list"))
        self.environment["LC_ALL"] = "C"
        self.assertIn("The three key questions", self.lab("list"))
        self.assertIn("Las tres preguntas clave", self.lab("list", "--lang", "es"))
        self.assertIn("Las tres preguntas clave", self.lab("list"))  # it is kept
        self.assertIn("falta el valor", self.lab("check", "14.1", expect=1))

    def test_a_folder_without_exercises_is_no_course(self):
        folder = tempfile.mkdtemp(dir=self.folder)
        with open(os.path.join(folder, "README.md"), "w", encoding="utf-8") as file:
            file.write("# Notes\n")
        done = subprocess.run([TESELA, "lab", "list", "--course", folder], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False, env=self.environment)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertIn(f"{folder}: has no exercises", done.stderr)

    def test_refused(self):
        for arguments, words in ((["show", "99.9"], "no such exercise"), (["check", "nothing.cu"], "no such exercise"),
                                 (["reset"], "name the exercises"), (["list", "1.1"], "no argument"),
                                 (["show", "0.1", "1.1"], "'1.1' is one argument too many"),
                                 (["site"], "-o FOLDER"), (["lint", "--part", "9/8"], "K from 1 to N"),
                                 (["list", "--lang", "fr"], "es or en"), (["list", "--course", "/"], "README.md"),
                                 (["hint", "0.1", "--now"], "--now goes with solution only")):
            with self.subTest(arguments=arguments):
                done = subprocess.run([TESELA, "lab", *arguments], text=True, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, check=False, env=self.environment)
                self.assertEqual(done.returncode, 2, done.stdout)
                self.assertIn(words, done.stderr.replace("\n", " "))

    def test_course_files(self):
        """What is wrong with a file of the course is said with its name."""
        course = os.path.join(self.folder, "course")
        shutil.copytree(os.path.join(SOURCE, "course", "14-worth-it"), os.path.join(course, "14-worth-it"))
        shutil.copy(os.path.join(SOURCE, "course", "README.md"), course)
        path = os.path.join(course, "14-worth-it", "14.1-amdahl.md")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for old, new, words in (("kind: predict", "kind: riddle", "14.1-amdahl.md:4: kind"),
                                ("id: 14.1", "id: one", "14.1-amdahl.md:2: id"),
                                ("id: 14.1", "id: 3.1", "of another module"),
                                ("covers:", "coverz:", "no field has that name"),
                                ("## en:", "## fr:", "lacks its title"),
                                ("### Hint\n", "### Tip\n", "hints in Spanish"),
                                ("```text solution", "```text answer", "no solution")):
            with self.subTest(new=new), open(path, "w", encoding="utf-8") as file:
                file.write(text.replace(old, new, 1))
                file.flush()
                done = subprocess.run([TESELA, "lab", "lint", "--course", course], text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
                self.assertEqual(done.returncode, 2, done.stdout)
                self.assertIn(words, done.stderr)

    def watch(self):
        process = subprocess.Popen([TESELA, "lab", "watch"], text=True, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=self.environment)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.read_until(process, "Watching")
        return process

    def read_until(self, process, words):
        lines = []
        begun = time.monotonic()
        while time.monotonic() - begun < 120:
            line = process.stdout.readline()
            if line == "":
                break
            lines.append(line)
            if words in line:
                return "".join(lines)
        self.fail(f"{words!r} is not in {''.join(lines)}")
        return ""

    def test_watch(self):
        """Files are graded when saved: written in place, or a new file in the old one's place; killed, it goes on
        where it was."""
        self.lab("show", "14.1")
        process = self.watch()
        self.answer("14.1-amdahl.txt", self.PREDICTION.replace("7.69", "?"))
        self.read_until(process, "✘ 14.1")
        beside = os.path.join(self.answers, "14.1-amdahl.txt~")
        with open(beside, "w", encoding="utf-8") as file:
            file.write(self.PREDICTION)
        os.rename(beside, os.path.join(self.answers, "14.1-amdahl.txt"))
        self.read_until(process, "✔ 14.1")
        self.read_until(process, "Next: 14.2")
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.assertIn("passed 14.1", self.state())
        process = self.watch()
        self.answer("14.2-roofline.txt", "ridge = 21\n")
        self.assertIn("ridge = 21 is not right", self.read_until(process, "saxpy_ms"))
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(), 128 + signal.SIGTERM)
        self.assertIn("current 14.2", self.state())

    @unittest.skipUnless(HAS_COMPILER, "neither clang++ nor g++ is found")
    def test_kernel(self):
        self.lab("list")
        self.answer("1.1-saxpy.cu", SOLUTION)
        report = os.path.join(self.folder, "report.json")
        self.assertIn("✔ 1.1", self.lab("check", "1.1"))
        self.answer("1.1-saxpy.cu", SOLUTION.replace("i < n", "i <= n"))
        told = self.lab("check", os.path.join(self.answers, "1.1-saxpy.cu"), "--json", report, expect=1)
        self.assertIn("line 5: access out of bounds", told)
        self.answer("1.1-saxpy.cu", SOLUTION.replace("y[i] =", "z[i] ="))
        self.assertIn("does not compile", self.lab("check", "1.1", expect=1))
        self.assertIn("1.1-saxpy.cu:5:", self.errors)
        self.answer("1.1-saxpy.cu", SOLUTION.replace("saxpy", "saxpi"))
        self.lab("check", "1.1", expect=1)
        self.assertRegex(self.errors, "the checker, which calls your answer, does not compile with it: .*.saxpy. ?")
        self.assertNotIn("tsl_lab", self.errors)
        elsewhere = os.path.join(self.folder, "1.1-elsewhere.cu")
        with open(elsewhere, "w", encoding="utf-8") as file:
            file.write(SOLUTION)
        self.assertIn("1.1 SAXPY, the first kernel: passed", self.lab("check", elsewhere, "--json", report))
        self.assertIn("1.1 SAXPY, the first kernel: passed", self.lab("check", elsewhere, "14.1", expect=1))
        self.assertIn("passed 1.1", self.state())  # once passed stays passed


class Page(HTMLParser):
    """The links and figures of a page, and what is not as it should be."""

    def __init__(self, path):
        super().__init__()
        self.links, self.titles, self.ids, self.open, self.faults = [], 0, set(), [], []
        self.figures = self.captions = 0
        self.language = None
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())
        if self.open:
            self.faults.append(f"not closed: {self.open}")

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if tag == "html":
            self.language = attributes.get("lang")
        if tag not in ("meta", "link", "line", "rect", "br"):
            self.open.append(tag)
        if "id" in attributes:
            if attributes["id"] in self.ids:
                self.faults.append(f"id twice: {attributes['id']}")
            self.ids.add(attributes["id"])
        if tag == "svg":
            self.figures += 1
            if attributes.get("role") != "img" or "aria-labelledby" not in attributes:
                self.faults.append("a figure without a name")
        self.captions += tag == "figcaption"
        for name in ("href", "src"):
            if name in attributes:
                self.links.append(attributes[name])

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"closed where it is not open: {tag}")


class Site(unittest.TestCase):
    def test_pages(self):
        """Both languages have the same pages and figures; each link leads somewhere in the folder."""
        folder = tempfile.mkdtemp(prefix="tesela-site-")
        self.addCleanup(shutil.rmtree, folder)
        course = os.path.join(folder, "course")
        for name in ("1-first-kernels", "14-worth-it"):
            shutil.copytree(os.path.join(SOURCE, "course", name), os.path.join(course, name))
        shutil.copy(os.path.join(SOURCE, "course", "README.md"), course)
        for name in os.listdir(os.path.join(course, "1-first-kernels")):
            if name[0].isdigit() and not (HAS_COMPILER and name.startswith("1.1")):
                os.remove(os.path.join(course, "1-first-kernels", name))
        site = os.path.join(folder, "site")
        subprocess.run([TESELA, "lab", "site", "--course", course, "-o", site, "--threads", "1"], check=True,
                       timeout=300)
        pages = {}
        for place, _, names in os.walk(site):
            for name in names:
                if name.endswith(".html"):
                    pages[os.path.relpath(os.path.join(place, name), site)] = Page(os.path.join(place, name))
        self.assertGreaterEqual(len(pages), 9)
        for path, page in pages.items():
            with self.subTest(page=path):
                self.assertEqual(page.faults, [])
                self.assertEqual(page.figures, page.captions)
                for link in page.links:
                    self.assertNotRegex(link, r"^\w+:|^/")
                    target = os.path.normpath(os.path.join(site, os.path.dirname(path), link.split("#")[0]))
                    self.assertTrue(link.startswith("#") or os.path.exists(target), link)
                if path.startswith("es/"):
                    twin = pages["en/" + path[3:]]
                    self.assertEqual((page.language, twin.language), ("es", "en"))
                    self.assertEqual(page.figures, twin.figures)
                    self.assertEqual(page.ids, twin.ids)
        with open(os.path.join(site, "en", "14.1-amdahl.html"), encoding="utf-8") as file:
            self.assertIn("<summary>Hint 2</summary>", file.read())
        if HAS_COMPILER:
            with open(os.path.join(site, "es", "1.1-saxpy.html"), encoding="utf-8") as file:
                self.assertRegex(re.sub(r"<[^>]+>", " ", file.read()), r"saxpy&lt;&lt;&lt;|saxpy<<<")


if __name__ == "__main__":
    unittest.main()
