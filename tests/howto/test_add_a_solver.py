# ctest: cost 60, timeout 1500, full with sanitizers
"""The solver of docs/howto-add-a-solver.md, added to a copy of the tree: three files get a line each, what
the page shows stands in its files, its test passes and its command prints what the page says."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.environ["TESELA_SOURCE"]
SOLVER = os.path.join(ROOT, "examples", "solver")
LINES = {"include/tesela/tesela.h": ('#include "tesela/context.h"\n', '#include "tesela/contacts.h"\n'),
         "src/device/tables.def": (None, "TSL_TABLE(contacts, tsl_contacts_ops, TSL_HAS, TSL_HAS, TSL_HAS)\n"),
         "src/cli/commands.def": (None, 'CLI_COMMAND(contacts, "count the contacts of two molecules")\n')}
LEFT_OUT = shutil.ignore_patterns(".git", "build", "demo", "results", "golden", "__pycache__")


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def files_of(folder):
    return [os.path.relpath(os.path.join(top, name), folder)
            for top, _, names in os.walk(folder) for name in names]


class AddASolver(unittest.TestCase):
    def test_page_shows_the_files(self):
        """Each line of C on the page, but for those with an ellipsis, is one of the solver's or one that
        another file gets."""
        there = "\n".join([read(SOLVER, name) for name in files_of(SOLVER)] + [new for _, new in LINES.values()])
        lines = {line.strip() for line in there.splitlines()}
        for block in re.findall(r"```c\n(.*?)```", read(ROOT, "docs", "howto-add-a-solver.md"), re.S):
            for line in block.splitlines():
                if line.strip() not in ("", "…"):
                    self.assertTrue(line.strip() in lines, line)

    def test_three_files_get_a_line(self):
        with tempfile.TemporaryDirectory() as folder:
            tree = os.path.join(folder, "tesela")
            shutil.copytree(ROOT, tree, symlinks=True, ignore=LEFT_OUT)
            for name in files_of(SOLVER):
                self.assertFalse(os.path.exists(os.path.join(tree, name)), name)
                os.makedirs(os.path.dirname(os.path.join(tree, name)), exist_ok=True)
                shutil.copy(os.path.join(SOLVER, name), os.path.join(tree, name))
            for name, (before, new) in LINES.items():
                text = read(tree, name)
                with open(os.path.join(tree, name), "w", encoding="utf-8") as file:
                    file.write(text.replace(before, new + before) if before else text + new)
            # What the compiler cache has of an earlier copy serves, wherever that was.
            os.environ.update(CCACHE_BASEDIR=tree, CCACHE_NOHASHDIR="1")
            build = os.path.join(tree, "build")
            self.run_in(tree, "cmake", "-S", tree, "-B", build, "-DCMAKE_BUILD_TYPE=Debug",
                        "-DCMAKE_C_FLAGS_DEBUG=-O0", "-DTSL_CUDA=OFF", "-DTSL_MPI=OFF", "-DTSL_BENCH=OFF",
                        "-DTSL_XC=pbe")
            self.run_in(tree, "cmake", "--build", build, "--parallel", str(os.cpu_count()),
                        "--target", "test_solvers_contacts_contacts")
            self.run_in(tree, os.path.join(build, "tests", "test_solvers_contacts_contacts"))
            printed = self.run_in(tree, *re.search(r"\$ build/cpu/(tesela contacts .*)",
                                                   read(ROOT, "docs", "howto-add-a-solver.md"))[1].split(),
                                  path=build)
            self.assertEqual(printed, "722\n")
            self.assertIn("\n722\n", read(ROOT, "docs", "howto-add-a-solver.md"))

    def run_in(self, folder, *command, path=""):
        if path:
            command = (os.path.join(path, command[0]), *command[1:])
        end = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                             check=False)
        self.assertEqual(end.returncode, 0, f"{command}\n{end.stdout[-4000:]}")
        return end.stdout


if __name__ == "__main__":
    sys.exit(unittest.main())
