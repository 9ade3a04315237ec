# ctest: cost 900
"""The course: all of its exercises with each compiler, and all answers that try to cheat."""

import shutil
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True  # leave the source tree as it is
from course import CHEATS, check_cheats, exercises, lint_all
from lab import COMPILERS, need_compilers


class All(unittest.TestCase):
    def test_exercises(self):
        lint_all(self, exercises(), COMPILERS)

    def test_cheats(self):
        folder = tempfile.mkdtemp(prefix="tesela-course-")
        self.addCleanup(shutil.rmtree, folder)
        check_cheats(self, CHEATS, folder)


if __name__ == "__main__":
    need_compilers()
    unittest.main()
