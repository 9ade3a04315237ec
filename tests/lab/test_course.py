# ctest: cost 40, full with sanitizers
"""The course: what each exercise promises, for a part of them that changes with the files, with each compiler alone
(all in test_course_full.py); both languages; what exercises cover; answers that try to cheat."""

import hashlib
import os
import re
import shutil
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True  # leave the source tree as it is
from course import CHEATS, COURSE, ITEMS, SLOW, check_cheats, covering, exercises, lab, lint_all
from lab import COMPILERS, need_compilers

PARTS = 36
HIDDEN = """
__global__ void reduce(int n, const float *v, float *out)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) {
        ADD(out, v[i]);
    }
}

void sum(int n, const float *v, float *out)
{
    cudaMemset(out, 0, sizeof(float));
    reduce<<<(n + 255) / 256, 256>>>(n, v, out);
    reduce<<<1, 1>>>(0, v, out);
}
"""
WHOLE = ["the host touches memory of the device: copy it with cudaMemcpy() first"]


class Texts(unittest.TestCase):
    def test_languages(self):
        """The same ids, sections and code in both, and nothing left out."""
        for path in exercises():
            with self.subTest(file=os.path.basename(path)), open(path, encoding="utf-8") as file:
                text = file.read()
                spanish = text[text.index("## es: "):text.index("## en: ")]
                english = text[text.index("## en: "):re.search(r"^```(cuda|text) solution$", text, re.M).start()]
                self.assertEqual(spanish.count("### Pista\n"), english.count("### Hint\n"))
                self.assertEqual((spanish.count("### Explicación\n"), english.count("### Explanation\n")), (1, 1))
                self.assertEqual(len(re.findall(r"^- `", spanish, re.M)), len(re.findall(r"^- `", english, re.M)))
                self.assertEqual(len(re.findall(r"^\|", spanish, re.M)), len(re.findall(r"^\|", english, re.M)))
                self.assertEqual(re.findall(r"^- `(\w+)`", spanish, re.M), re.findall(r"^- `(\w+)`", english, re.M))
                for part in (spanish, english):
                    self.assertEqual(part.count("`") % 2, 0)
                    self.assertLess(len(part.split()), 600)

    def test_messages(self):
        """Formats take the same values in both languages."""
        path = os.path.join(COURSE, "..", "src", "lab", "course", "messages.def")
        with open(path, encoding="utf-8") as file:
            calls = re.findall(r"TSL_LAB_SAY\((\w+),\s*(.*?)\)\n(?=TSL_LAB_SAY|\Z)", file.read(), re.S)
        self.assertGreater(len(calls), 50)
        for name, rest in calls:
            strings = re.findall(r'"((?:[^"\\]|\\.)*)"', rest)
            half = [rest.split('",')[0], rest[rest.index('",') + 2:]]
            kinds = [re.findall(r"%(?:l*[dsf])", part) for part in half]
            self.assertGreaterEqual(len(strings), 2, name)
            self.assertEqual(kinds[0], kinds[1], name)

    def test_details(self):
        """Each report of the runtime has its details in Spanish, with as many parts."""
        source = os.path.join(COURSE, "..", "src", "lab")
        with open(os.path.join(source, "course", "details.def"), encoding="utf-8") as file:
            pairs = re.findall(r'^TSL_LAB_DETAIL\("(.*?)",\s*"(.*?)"\)$', file.read(), re.M | re.S)
        for english, spanish in pairs:
            self.assertGreaterEqual(english.count("{}"), spanish.count("{}"), english)
        known = [english.replace("{}", "0") for english, spanish in pairs]
        patterns = [re.compile(re.escape(english).replace(r"\{\}", ".+")) for english, spanish in pairs
                    if english != "thread {}"]
        formats = []
        for name in sorted(os.listdir(os.path.join(source, "run"))):
            with open(os.path.join(source, "run", name), encoding="utf-8") as file:
                for call in re.findall(r'tsl_report\(\s*"\w+",[^"]*((?:"(?:[^"\\]|\\.)*"\s*)+)', file.read()):
                    formats.append("".join(re.findall(r'"(.*?)"', call)))
        self.assertGreater(len(formats), 20)
        for text in formats:
            parts = re.split(r"(%#?(?:ll|z)?[a-z])", text)
            some = "".join("0" if part.startswith("%") else part for part in parts)
            any_of = re.compile("".join(".*" if part.startswith("%") else re.escape(part) for part in parts))
            with self.subTest(text=text):
                # a sentence that says no more than its kind's meaning needs no details
                self.assertTrue(text in WHOLE or any(each.fullmatch(some) for each in patterns) or
                                any(any_of.fullmatch(each) for each in known))

    def test_covers(self):
        """Each item of the course of 2010, and what a learner needs today, has an exercise."""
        found = covering()
        self.assertEqual([item for item, ids in found.items() if not ids], [])
        self.assertEqual(set(found), set(ITEMS))

    def test_amount(self):
        self.assertGreaterEqual(len(exercises()), 64)
        for module, count in enumerate((5, 8, 6, 10, 7, 10)):
            own = [path for path in exercises() if os.path.basename(path).startswith(f"{module}.")]
            self.assertEqual(len(own), count, module)


class Grading(unittest.TestCase):
    def test_part(self):
        """A part of the exercises, by a digest of all, and with the other compiler another part: solutions pass, what
        is wrong is rejected."""
        digest = hashlib.sha256()
        for path in exercises():
            with open(path, "rb") as file:
                digest.update(file.read())
        part = int(digest.hexdigest(), 16)
        lint_all(self, [(path, compiler) for k, compiler in enumerate(COMPILERS) for i, path in enumerate(exercises())
                        if i % PARTS == (part + k * PARTS // 2) % PARTS])

    def test_cheats(self):
        """Not-a-numbers, answers kept from before, results without a kernel, tampering: never passed."""
        folder = tempfile.mkdtemp(prefix="tesela-course-")
        self.addCleanup(shutil.rmtree, folder)
        self.assertGreaterEqual(len(CHEATS), 50)
        quick = [path for path in CHEATS if os.path.basename(path) not in SLOW]
        check_cheats(self, quick[::5], folder)

    def test_hidden_words(self):
        """A word that is forbidden, in a file elsewhere or over a line's end, is not taken."""
        folder = tempfile.mkdtemp(prefix="tesela-course-")
        self.addCleanup(shutil.rmtree, folder)
        header = os.path.join(folder, "hidden.h")
        with open(header, "w", encoding="ascii") as file:
            file.write("#define ADD atomicAdd\n")
        up = "/".join(10 * [".."])
        for begin in (f'#include "{header}"', f"#include <{header}>", f"#import <{header}>", f"#include <sys/{up}{header}>",
                      f"#include_next <sys/{up}{header}>", f'#\\\ninclude "{header}"', f"#define F <{header}>\n#include F",
                      f"#include <sys/.\\\n./{up}{header}>", "#define ADD atomic\\\nAdd", "#define ADD atomic\\\n\\\nAdd",
                      f"#include <sys/{'./' * 300}{up}{header}>", "#define ADD atomic\\ \nAdd",
                      "#define ADD atomic##Add", f'%:include "{header}"'):
            path = os.path.join(folder, "3.4-two-passes.cu")
            with open(path, "w", encoding="ascii") as file:
                file.write(begin + HIDDEN)
            with self.subTest(begin=begin):
                done = lab("check", path, "--dir", folder, "--lang", "en")
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.assertIn("the answer must not use", done.stdout)


if __name__ == "__main__":
    need_compilers()
    unittest.main()
