# ctest: cost 900
"""The course: all of its exercises with each compiler, and all answers that try to cheat."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True  # leave the source tree as it is
from course import CHEATS, check_cheats, exercises, lint_all
from lab import COMPILERS, TESELA, alone, need_compilers


class All(unittest.TestCase):
    def test_exercises(self):
        lint_all(self, [(path, compiler) for compiler in COMPILERS for path in exercises()])

    def test_alone(self):
        """All solutions with one compiler alone to be found, and no network."""
        for compiler in COMPILERS:
            environment, cut_off = alone(compiler)
            self.addCleanup(shutil.rmtree, environment["PATH"])
            environment["XDG_CACHE_HOME"] = os.path.join(environment["PATH"], "cache")
            environment["HOME"] = environment["PATH"]
            with self.subTest(compiler=compiler):
                done = subprocess.run([*cut_off, TESELA, "lab", "check", "--all", "--solutions"], text=True,
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                      check=False, timeout=1200, env=environment)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertIn(f"{len(exercises())} of {len(exercises())} done", done.stdout)

    def test_cheats(self):
        folder = tempfile.mkdtemp(prefix="tesela-course-")
        self.addCleanup(shutil.rmtree, folder)
        check_cheats(self, CHEATS, folder)


if __name__ == "__main__":
    need_compilers()
    unittest.main()
