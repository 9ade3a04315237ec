"""tools/check-documents: the project's pages pass, and each kind of fault is found in pages made up for it."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.environ.get("TESELA_SOURCE") or os.path.abspath(
    os.path.join(os.path.dirname(__file__), "..", ".."))
TOOL = os.path.join(SOURCE, "tools", "check-documents")


class Documents(unittest.TestCase):
    def check(self, pages):
        """Exit status and output for a folder with these pages."""
        folder = tempfile.mkdtemp(prefix="tesela-documents-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        for name, text in pages.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        done = subprocess.run([sys.executable, TOOL, folder], capture_output=True, text=True, check=False)
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout

    def test_project_passes(self):
        done = subprocess.run([sys.executable, TOOL, SOURCE], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_good_links(self):
        page = ("# One\n\n[here](#one) [there](docs/b.md#on-a-busy-host) [again](docs/b.md#two-1) [folder](docs)\n"
                "[web](https://example.org/x#y)\n\n`[code](missing.md)`\n\n```\n[fenced](missing.md)\n```\n\n"
                "    [indented](missing.md)\n")
        self.assertEqual(self.check({"README.md": page, "docs/b.md": "## On a busy host\n## Two\n## Two\n"}), (0, ""))

    def test_missing_file(self):
        status, said = self.check({"docs/a.md": "text\n[x](../b.md)\n"})
        self.assertEqual((status, said), (1, "docs/a.md:2: ../b.md leads to no file\n"))

    def test_missing_heading(self):
        status, said = self.check({"a.md": "[x](b.md#two)\n", "b.md": "# One\n\n```\n# two\n```\n"})
        self.assertEqual((status, said), (1, "a.md:1: b.md#two leads to no heading of that page\n"))

    def test_link_out_of_the_project(self):
        status, said = self.check({"a.md": "[x](../)\n"})
        self.assertEqual((status, said), (1, "a.md:1: ../ leads out of the project\n"))

    def test_lengths(self):
        self.assertEqual(self.check({"README.md": "a\n" * 99, "ARCHITECTURE.md": "a\n" * 119,
                                     "docs/a.md": "a " * 4000}), (0, ""))
        status, said = self.check({"README.md": "a\n" * 100, "ARCHITECTURE.md": "a\n" * 120,
                                   "docs/a.md": "a " * 4001})
        self.assertEqual(status, 1)
        self.assertEqual(said, "ARCHITECTURE.md: 120 lines, at most 119 are allowed\n"
                               "README.md: 100 lines, at most 99 are allowed\n"
                               "docs/a.md: 4001 words, at most 4000 are allowed\n")


if __name__ == "__main__":
    unittest.main()
