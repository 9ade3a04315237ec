"""./run-tests PATTERN, with programs made up in place of those that it calls."""

import os
import shutil
import stat
import subprocess
import tempfile
import unittest

SOURCE = os.environ.get("TESELA_SOURCE") or os.path.abspath(
    os.path.join(os.path.dirname(__file__), "..", ".."))
CTEST = """#!/bin/sh
echo "ctest $*" >>"$CALLS"
case $* in
*-N*) printf '  Test #1: %s\\n' $NAMES; echo; echo "Total Tests: 2" ;;
esac
"""


class Pattern(unittest.TestCase):
    def run_tests(self, *arguments, names="", status=0):
        """The calls that it makes where ctest knows these names."""
        folder = tempfile.mkdtemp(prefix="tesela-run-tests-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        shutil.copy(os.path.join(SOURCE, "run-tests"), folder)
        for name in ("bin", "tools", "build/cpu", "tests/io", "tests/cli"):
            os.makedirs(os.path.join(folder, name))
        for name in ("build/cpu/CMakeCache.txt", "tests/io/test_npy.c", "tests/cli/test_input.py"):
            with open(os.path.join(folder, name), "w", encoding="ascii"):
                pass
        for name, text in (("bin/cmake", '#!/bin/sh\necho "cmake $*" >>"$CALLS"\n'), ("bin/ctest", CTEST)):
            path = os.path.join(folder, name)
            with open(path, "w", encoding="ascii") as file:
                file.write(text)
            os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        calls = os.path.join(folder, "calls")
        done = subprocess.run(["bash", os.path.join(folder, "run-tests"), *arguments], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                              env={"PATH": os.path.join(folder, "bin") + ":" + os.environ["PATH"],
                                   "CALLS": calls, "NAMES": names})
        self.assertEqual(done.returncode, status, done.stdout)
        with open(calls, encoding="ascii") as file:
            return file.read().splitlines()

    def test_only_what_is_asked_for_is_built_and_run(self):
        calls = self.run_tests("io/|cli/", names="io/npy cli/input")
        builds = [call for call in calls if call.startswith("cmake")]
        self.assertEqual(len(builds), 1)
        self.assertRegex(builds[0], "^cmake --build build/cpu --parallel [0-9]+ --target tesela test_io_npy$")
        self.assertRegex(calls[-1], "^ctest --test-dir build/cpu .*--tests-regex io/[|]cli/ --label-exclude")

    def test_what_is_no_file_needs_all(self):
        calls = self.run_tests("package", names="package/install")
        self.assertRegex([call for call in calls if call.startswith("cmake")][0], "--target all$")

    def test_no_test_matches(self):
        calls = self.run_tests("nothing", status=2)
        self.assertIn("cmake build/cpu", calls)  # a new file may have to be found first
        self.assertFalse(any("--build" in call for call in calls))


if __name__ == "__main__":
    unittest.main()
