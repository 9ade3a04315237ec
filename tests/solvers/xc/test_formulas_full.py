"""What test_formulas.py compares, at 200 points of each functional, spin and order."""

import concurrent.futures
import os
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True  # leave the source tree as it is
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import test_formulas as short


def compare(unit):
    environment = dict(os.environ, TESELA_XC_ONLY=unit, TESELA_XC_POINTS="200")
    return unit, subprocess.run([sys.executable, short.__file__, "Published"], env=environment, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)


@unittest.skipIf(short.m is None, "mpmath is not installed (Debian: python3-mpmath)")
class Published(unittest.TestCase):
    def test_200_points_each(self):
        units = sorted({one.unit for one in short.Published().sums()})
        self.assertGreater(len(units), 50)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for unit, result in pool.map(compare, units):
                with self.subTest(unit=unit):
                    self.assertEqual(result.returncode, 0, result.stdout)


if __name__ == "__main__":
    unittest.main()
